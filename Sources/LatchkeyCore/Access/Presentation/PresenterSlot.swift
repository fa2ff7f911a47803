/// The presenter of one client, and the form that its logins start with.
///
/// Clients that share a session each have a slot of their own, so a client can't replace or remove what
/// another one has set.
@MainActor package final class PresenterSlot {
    /// The presenter, or `nil` if there is none or if it was deallocated.
    package private(set) weak var presenter: (any Presenter)?

    /// The form that logins start with if this client asked for them.
    package var entry = LoginStart.login

    /// Chooses the app to which a login is handed over, or `nil` if this client never does so.
    package var chooseApp: (@MainActor () async -> AppHandOff?)?

    /// Creates a slot without a presenter.
    package nonisolated init() {}

    /// Sets the presenter.
    ///
    /// - Parameters:
    ///   - presenter: The presenter, which is held weakly, or `nil` to remove it.
    ///   - coordinator: The coordinator that presents the client's logins.
    package func set(_ presenter: (any Presenter)?, in coordinator: AccessCoordinator) {
        self.presenter = presenter
        coordinator.update(self, hasPresenter: presenter != nil)
    }
}

/// The slots that have a presenter, of all clients that share a session.
///
/// The slots are held weakly, so a client that is released doesn't have to remove its own.
struct PresenterSlots {
    private struct Entry {
        weak var slot: PresenterSlot?
    }

    private var entries: [Entry] = []

    /// Moves a slot to the end of the list, or removes it if it has no presenter anymore.
    mutating func update(_ slot: PresenterSlot, hasPresenter: Bool) {
        entries.removeAll { $0.slot == nil || $0.slot === slot }
        if hasPresenter { entries.append(Entry(slot: slot)) }
    }

    /// Returns the slots to try for a login: first the slot of the client that asked for it, then the others,
    /// starting with the one that was set last.
    func candidates(for slot: PresenterSlot?) -> [PresenterSlot] {
        let slots = entries.reversed().compactMap(\.slot)
        return slots.filter { $0 === slot } + slots.filter { $0 !== slot }
    }
}
