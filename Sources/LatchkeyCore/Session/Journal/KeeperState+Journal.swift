import LatchkeyModel

/// Creates journal entries for the events of the state machine.
extension KeeperState {
    /// Returns the journal entry for an event.
    ///
    /// - Parameters:
    ///   - event: The event, which the machine has already processed.
    ///   - former: The state of the machine before the event.
    ///   - time: The time of the event.
    /// - Returns: The entry, or `nil` if this kind of event isn't recorded.
    mutating func entry(
        for event: SessionMachine.Event,
        after former: MachineSnapshot,
        at time: Timestamp
    ) -> JournalEntry? {
        switch event {
        case .replaced(let caller, _, _, _) where machine.held != nil && machine.held != former.held:
            let detail =
                processLogins.contains(caller)
                ? "A login was stored in memory, for this process only." : "A login was stored."
            return JournalEntry(.signedIn, at: time, detail: detail)
        case .signedOut where former.status != .absent:
            return JournalEntry(.signedOut, at: time, detail: "The app signed out.")
        case .ended where former.held != nil && machine.held == nil:
            return JournalEntry(.ended, at: time, detail: endReason)
        case .answered(.refused, _) where former.held != nil && machine.held == nil:
            return JournalEntry(
                .ended,
                at: time,
                detail: "The identity server refused to refresh the session's tokens."
            )
        case .answered(.failed, _):
            return JournalEntry(.notRenewed, at: time, detail: (refreshFailure ?? .notRefreshed).description)
        case .saved(let handle, _, _) where former.refresh == .saving(handle):
            return JournalEntry(.renewed, at: time, detail: "New tokens were stored.")
        case .read(let reading, _, _): return entry(for: reading, after: former, at: time)
        case .saveFailed(_, let code, _), .replaceFailed(_, let code, _):
            guard code != .conflict else { return nil }
            return JournalEntry(
                .storeFailed,
                at: time,
                detail: "The session was not stored: \(failure(code))"
            )
        case .removalFailed:
            let reason = removalFailure.map { ": \($0)" } ?? ""
            return JournalEntry(
                .storeFailed,
                at: time,
                detail: "The record may not have been deleted\(reason)"
            )
        default: return nil
        }
    }

    /// Returns the journal entry for a read of the store, or `nil` if the result doesn't need to be recorded.
    private mutating func entry(
        for reading: SessionMachine.Reading,
        after former: MachineSnapshot,
        at time: Timestamp
    ) -> JournalEntry? {
        if case .unavailable(let code) = reading {
            // We record this only once, no matter how often we try to read the store.
            guard unavailability != code else { return nil }
            unavailability = code
            return JournalEntry(.storeUnavailable, at: time, detail: failure(code).description)
        }
        unavailability = nil
        guard former.status != .unread else { return nil }
        if former.held != nil, machine.status == .absent {
            return JournalEntry(
                .signedOutElsewhere,
                at: time,
                detail: "The record no longer exists: another process signed out, or the record was deleted."
            )
        }
        guard let held = machine.held, held.login != former.held?.login else { return nil }
        return JournalEntry(
            .signedInElsewhere,
            at: time,
            detail: "Another process of the app stored a login."
        )
    }
}

extension KeeperState {
    /// The parts of the machine's state before an event that the journal needs.
    ///
    /// We don't copy the whole machine, because that would also copy the waiting callers.
    struct MachineSnapshot {
        let status: SessionMachine.Status
        let refresh: SessionMachine.Refresh
        let held: SessionHandle?

        init(_ machine: SessionMachine) {
            (status, refresh, held) = (machine.status, machine.refresh, machine.held)
        }
    }
}
