import LatchkeyCore

/// A state machine's state as shown in the transition table, without names and numbers.
struct SessionStateKind: Hashable, Comparable, CustomStringConvertible {
    /// The status, without any associated values.
    ///
    /// The raw values determine the order in the table.
    enum Truth: Int, CaseIterable {
        case unread, unavailable, absent, present
    }

    /// The progress of a refresh, without any associated values.
    ///
    /// The raw values determine the order in the table.
    enum Refresh: Int, CaseIterable {
        case idle, locking, reading, asking, saving
    }

    let truth: Truth
    let refresh: Refresh
    /// Whether the stored record is outdated because the session couldn't be written.
    let isUnsaved: Bool
    /// Whether a removal is pending because the store may still contain a record of a session that has ended.
    let isPending: Bool
    /// Whether a removal is currently in progress.
    let isRemoving: Bool
    /// Whether at least one login is being written.
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

    /// Returns how the next state differs from this one, or "unchanged" if it doesn't.
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

    /// Orders states by status, then by flags, then by the progress of the refresh.
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
