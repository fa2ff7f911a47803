/// A violation of one of the session engine's invariants.
package enum InvariantViolation: String, Error, Sendable, CaseIterable {
    /// Invariant 1: a login that had ended for a process or had been removed from the store has come back.
    ///
    /// When a process crashes, the explorer forgets which logins had ended for that process, but not which
    /// logins were removed from the store.
    case revived
    /// Invariant 2: a process sends a refresh request while another process is waiting for the response to a
    /// request for the same login.
    ///
    /// Processes that time out while waiting for the lock and continue without it are allowed to do this.
    case refreshedTwice
    /// Invariant 3: a process lost its login or the stored session was removed without a sign-out or a
    /// revocation.
    ///
    /// This violation is also thrown if the server rejects a refresh request for a valid login because it
    /// mistakes the request for token theft.
    case loggedOutUnexpectedly
    /// Invariant 4: reading an unavailable store changed a status that had been `present` or `absent`.
    case unavailableChangedState
    /// Invariant 5: the record of a valid login contains a token that is older than the most recent token
    /// that the server received.
    case tokenLost
    /// Invariant 6: the machine answered a caller that had already been answered or cancelled.
    case answeredTwice
    /// Invariant 6: a caller is waiting, but there is no operation in progress that could lead to an answer.
    case neverAnswered
    /// Invariant 6: the status is not `absent` after a `signedOut` event.
    case signOutFailed
    /// Invariant 7: a process has a login whose certificate is missing.
    case announcedIncomplete
    /// The status in an `announce` effect differs from the status of the state machine.
    ///
    /// This check is not one of the numbered invariants.
    case announcedWrongStatus

    /// The violated invariant's number, from 1 to 7, or `nil` for an additional check.
    package var invariant: Int? {
        switch self {
        case .revived: 1
        case .refreshedTwice: 2
        case .loggedOutUnexpectedly: 3
        case .unavailableChangedState: 4
        case .tokenLost: 5
        case .answeredTwice, .neverAnswered, .signOutFailed: 6
        case .announcedIncomplete: 7
        case .announcedWrongStatus: nil
        }
    }

    /// A description of the violation.
    package var text: String {
        switch self {
        case .revived:
            "A session that had ended is back in the store, or in the process in which it had ended."
        case .refreshedTwice: "Two processes with the lock are refreshing the same login at the same time."
        case .loggedOutUnexpectedly:
            "A session ended without a sign-out or a verdict from the server, or the server mistook a legitimate refresh for token theft."
        case .unavailableChangedState: "Reading an unavailable store changed the session status."
        case .tokenLost: "The store holds a token whose successor has already been used."
        case .answeredTwice: "A caller that was not waiting received an answer."
        case .neverAnswered: "A caller is waiting, but no operation is in progress."
        case .signOutFailed: "The user has signed out but is still logged in."
        case .announcedIncomplete: "A login whose certificate is missing counts as a session."
        case .announcedWrongStatus: "The announced status differs from the actual one."
        }
    }

    /// The source file that contains the check, and when the check is performed.
    package var location: String {
        switch self {
        case .revived: "ModelState+Check.swift, after each event and each step"
        case .refreshedTwice: "ModelState+Check.swift, when a refresh request is sent"
        case .loggedOutUnexpectedly:
            "ModelState+Check.swift, after each event and each step; ModelState+Store.swift, at each removal; "
                + "ModelState+Apply.swift, after each response from the server"
        case .unavailableChangedState, .signOutFailed, .announcedIncomplete:
            "ModelState+Check.swift, after each event"
        case .tokenLost, .neverAnswered: "ModelState+Check.swift, after each step"
        case .answeredTwice, .announcedWrongStatus: "ModelState+Apply.swift, when such an effect is performed"
        }
    }
}
