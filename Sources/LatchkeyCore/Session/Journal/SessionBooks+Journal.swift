import LatchkeyModel

extension SessionBooks {
    /// What an event is worth remembering as.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - former: The machine before it.
    ///   - time: When.
    /// - Returns: The entry; nothing for what changed nothing.
    mutating func entry(
        for event: SessionMachine.Event,
        after former: Former,
        at time: Timestamp
    ) -> JournalEntry? {
        switch event {
        case .replaced where machine.held != nil && machine.held != former.held:
            return JournalEntry(time, .signedIn, "A login was stored.")
        case .signedOut where former.truth != .absent:
            return JournalEntry(time, .signedOut, "The app signed out.")
        case .ended where former.held != nil && machine.held == nil:
            return JournalEntry(time, .ended, endReason)
        case .answered(.refused, _) where former.held != nil && machine.held == nil:
            return JournalEntry(time, .ended, "The identity server refused to renew the session's tokens.")
        case .answered(.failed, _):
            return JournalEntry(time, .notRenewed, (refreshFailure ?? .notRefreshed).description)
        case .saved(let handle, _, _) where former.refresh == .saving(handle):
            return JournalEntry(time, .renewed, "New tokens were stored.")
        case .read(let reading, _, _): return entry(for: reading, after: former, at: time)
        case .notSaved(_, let code, _), .notReplaced(_, let code, _):
            guard code != .conflict else { return nil }
            return JournalEntry(time, .storeFailed, "Nothing was written: \(failure(code))")
        case .notRemoved:
            let reason = removalFailure.map { ": \($0)" } ?? ""
            return JournalEntry(time, .storeFailed, "The record may still be there\(reason)")
        default: return nil
        }
    }

    private mutating func entry(
        for reading: SessionMachine.Reading,
        after former: Former,
        at time: Timestamp
    ) -> JournalEntry? {
        if case .unavailable(let code) = reading {
            // Once, however often it is looked at.
            guard unavailability != code else { return nil }
            unavailability = code
            return JournalEntry(time, .storeUnavailable, failure(code).description)
        }
        unavailability = nil
        guard former.truth != .unread else { return nil }
        if former.held != nil, machine.truth == .absent {
            return JournalEntry(
                time,
                .signedOutElsewhere,
                "The record is gone: another process signed out, or somebody removed it."
            )
        }
        guard let held = machine.held, held.login != former.held?.login else { return nil }
        return JournalEntry(time, .signedInElsewhere, "Another process of the app stored a login.")
    }
}

extension SessionBooks {
    /// What a machine was before an event, as far as the journal asks; all of it would copy those who wait.
    struct Former {
        let truth: SessionMachine.Truth
        let refresh: SessionMachine.Refresh
        let held: SessionHandle?

        init(_ machine: SessionMachine) {
            (truth, refresh, held) = (machine.truth, machine.refresh, machine.held)
        }
    }
}
