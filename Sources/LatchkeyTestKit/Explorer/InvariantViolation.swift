/// A violation of an invariant of the session engine.
package enum InvariantViolation: String, Error, Sendable, CaseIterable {
    /// Invariant 1: a process holds a login that had ended for the process, or the store holds a login that
    /// had been removed from the store.
    ///
    /// A process that crashes forgets which logins had ended, but removals from the store are not forgotten.
    case revived
    /// Invariant 2: a process sends a refresh request while another process waits for the response to a
    /// request for the same login.
    ///
    /// Processes that continue without the lock after their timeout are not counted.
    case refreshedTwice
    /// Invariant 3: a process lost its login, or the stored session was removed, without a sign-out or a
    /// revocation.
    ///
    /// This violation is also thrown when the server rejects a refresh request for a login that was live
    /// until then, because the server mistook the request for token theft.
    case loggedOutUnexpectedly
    /// Invariant 4: a read of an unavailable store changed a status that was `present` or `absent` before.
    case unavailableChangedState
    /// Invariant 5: the record of a live login holds a token older than the last one that the server
    /// received.
    case tokenLost
    /// Invariant 6: the machine answered a caller twice, or after the caller was cancelled.
    case answeredTwice
    /// Invariant 6: a caller is waiting, but no operation that could lead to its answer is in progress.
    case neverAnswered
    /// Invariant 6: the status after the event `signedOut` is not `absent`.
    case signOutFailed
    /// Invariant 7: a process holds a login whose certificate is missing.
    case announcedIncomplete
    /// The effect `announce` carried a status that differs from the machine's status; this check has no
    /// number.
    case announcedWrongStatus

    /// The number of the violated invariant, from 1 to 7; `nil` for an additional check.
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
            "A session that had ended is present again, either in the store or in a process that had ended it."
        case .refreshedTwice: "Two processes that hold the lock refresh the same login at the same time."
        case .loggedOutUnexpectedly:
            "A session ended without a sign-out or a verdict from the server, or the server mistook a legitimate refresh for token theft."
        case .unavailableChangedState: "A read of an unavailable store changed the session status."
        case .tokenLost: "The store holds a token whose successor has already been used."
        case .answeredTwice: "A caller that was not waiting received an answer."
        case .neverAnswered: "A caller is waiting, but no operation is in progress."
        case .signOutFailed: "The user signed out and is still logged in."
        case .announcedIncomplete: "A login without its certificate counts as a session."
        case .announcedWrongStatus: "The announced status differs from the actual one."
        }
    }

    /// The source file of the check and the time at which it is performed.
    package var location: String {
        switch self {
        case .revived: "ModelState+Check.swift, after each event and each step"
        case .refreshedTwice: "ModelState+Check.swift, when a refresh request is sent"
        case .loggedOutUnexpectedly:
            "ModelState+Check.swift, after each event and each step; ModelState+Store.swift, at each removal; "
                + "ModelState+Apply.swift, at each answer from the server"
        case .unavailableChangedState, .signOutFailed, .announcedIncomplete:
            "ModelState+Check.swift, after each event"
        case .tokenLost, .neverAnswered: "ModelState+Check.swift, after each step"
        case .answeredTwice, .announcedWrongStatus: "ModelState+Apply.swift, at each such effect"
        }
    }
}
