import LatchkeyModel

/// The reason why a user is, or is no longer, logged in on this device.
public struct SessionExplanation: Sendable {
    /// The current state of the session.
    public let state: SessionState

    /// The reason in one sentence, for developers.
    public let summary: String

    /// The journal entries, oldest first, without secrets or personal data.
    public let entries: [JournalEntry]

    /// Creates an explanation from the last entry about a login, sign-out or session end.
    init(state: SessionState, entries: [JournalEntry]) {
        (self.state, self.entries) = (state, entries)
        let change = entries.last { $0.kind.changesLogin }
        summary =
            switch (state, change) {
            case (.unavailable(.notReadYet), _): "The session store has not been read yet."
            case (.unavailable(.store(let error)), _):
                "The session store cannot be read, which does not end the session: \(error.message)"
            case (.signedIn, let change?) where change.kind.isBeginning:
                "A user has been logged in since \(change.time)."
            case (.signedIn, _): "A user has been logged in since before the journal started."
            case (.signedOut, let change?) where !change.kind.isBeginning:
                "No user has been logged in since \(change.time): \(change.detail)"
            case (.signedOut, .some):
                "No user is logged in: the record no longer exists. The journal does not contain the reason."
            case (.signedOut, nil): "No user has logged in since the journal started."
            }
    }
}

extension JournalEntry.Kind {
    /// Whether an entry of this kind changes the user who is logged in.
    fileprivate var changesLogin: Bool {
        switch self {
        case .signedIn, .signedInElsewhere, .signedOut, .signedOutElsewhere, .ended: true
        case .renewed, .notRenewed, .storeUnavailable, .storeFailed: false
        }
    }

    /// Whether an entry of this kind begins a session.
    fileprivate var isBeginning: Bool {
        self == .signedIn || self == .signedInElsewhere
    }
}
