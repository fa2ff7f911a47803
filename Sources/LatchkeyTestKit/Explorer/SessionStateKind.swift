import LatchkeyCore

/// A state of the state machine without names and numbers, for the table of transitions.
struct SessionStateKind: Hashable, Comparable, CustomStringConvertible {
    enum Truth: Int, CaseIterable {
        case unread, unavailable, absent, present
    }

    enum Refresh: Int, CaseIterable {
        case idle, locking, reading, asking, saving
    }

    let truth: Truth
    let refresh: Refresh
    let isUnsaved: Bool
    let isPending: Bool
    let isRemoving: Bool
    let isReplacing: Bool

    init(_ machine: SessionMachine) {
        truth =
            switch machine.status {
            case .unread: .unread
            case .unavailable: .unavailable
            case .absent: .absent
            case .present: .present
            }
        refresh =
            switch machine.refresh {
            case .idle: .idle
            case .locking: .locking
            case .reading: .reading
            case .asking: .asking
            case .saving: .saving
            }
        (isUnsaved, isReplacing) = (machine.isUnsaved, machine.replacing > 0)
        (isPending, isRemoving) = (machine.pendingRemoval != nil, machine.isRemoving)
    }

    /// The status and the flags, without the progress of the refresh.
    var stem: String {
        "\(truth)" + (isUnsaved ? " unsaved" : "") + (isPending ? " pending" : "")
            + (isRemoving ? " removing" : "")
            + (isReplacing ? " replacing" : "")
    }

    var description: String { "\(stem) \(refresh)" }

    /// Returns the differences of a following state; "unchanged" if there are none.
    func change(to after: SessionStateKind) -> String {
        var changes: [String] = []
        if after.truth != truth { changes.append("\(after.truth)") }
        if after.refresh != refresh { changes.append("\(after.refresh)") }
        if after.isUnsaved != isUnsaved { changes.append(after.isUnsaved ? "unsaved" : "not unsaved") }
        if after.isPending != isPending { changes.append(after.isPending ? "pending" : "not pending") }
        if after.isRemoving != isRemoving { changes.append(after.isRemoving ? "removing" : "not removing") }
        if after.isReplacing != isReplacing {
            changes.append(after.isReplacing ? "replacing" : "not replacing")
        }
        return changes.isEmpty ? "unchanged" : changes.joined(separator: ", ")
    }

    static func < (left: SessionStateKind, right: SessionStateKind) -> Bool {
        left.order.lexicographicallyPrecedes(right.order)
    }

    private var order: [Int] {
        [
            truth.rawValue, isUnsaved ? 1 : 0, isPending ? 1 : 0, isRemoving ? 1 : 0, isReplacing ? 1 : 0,
            refresh.rawValue,
        ]
    }
}
