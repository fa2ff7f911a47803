import LatchkeyModel

/// Explains why a user is or isn't logged in on this device.
public struct SessionExplanation: Sendable {
    /// The current state of the session.
    public let state: SessionState

    /// A one-sentence explanation for developers.
    public let summary: String

    /// The journal entries, starting with the oldest.
    ///
    /// Entries contain neither secrets nor personal data.
    public let entries: [JournalEntry]

    /// Creates an explanation from the most recent entry about a login, a sign-out or the end of a session.
    init(state: SessionState, entries: [JournalEntry]) {
        (self.state, self.entries) = (state, entries)
        let change = entries.last { $0.kind.changesLogin }
        summary =
            switch (state, change) {
            case (.unavailable(.notReadYet), _): "The session store has not been read yet."
            case (.unavailable(.store(let error)), _):
                "The session has not ended, but its store cannot be read: \(error.message)"
            case (.signedIn, let change?) where change.kind.isBeginning:
                "A user has been logged in since \(change.time)."
            case (.signedIn, _): "A user has been logged in since before the journal started."
            case (.signedOut, let change?) where !change.kind.isBeginning:
                "No user has been logged in since \(change.time): \(change.detail)"
            case (.signedOut, .some):
                "The record no longer exists, but the journal does not contain the reason."
            case (.signedOut, nil): "No user has logged in since the journal started."
            }
    }
}

extension JournalEntry.Kind {
    /// Whether entries of this kind record the beginning or the end of a login.
    fileprivate var changesLogin: Bool {
        switch self {
        case .signedIn, .signedInElsewhere, .signedOut, .signedOutElsewhere, .ended: true
        case .renewed, .notRenewed, .storeUnavailable, .storeFailed: false
        }
    }

    /// Whether an entry of this kind means that a session began.
    fileprivate var isBeginning: Bool {
        self == .signedIn || self == .signedInElsewhere
    }
}
