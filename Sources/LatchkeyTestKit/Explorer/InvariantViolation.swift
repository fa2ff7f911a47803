/// A violation of an invariant of the session engine.
package enum InvariantViolation: String, Error, Sendable, CaseIterable {
    case revived
    case refreshedTwice
    case loggedOutUnexpectedly
    case unavailableChangedState
    case tokenLost
    case answeredTwice
    case neverAnswered
    case signOutFailed
    case announcedIncomplete
    case announcedWrongStatus

    /// The number of the violated invariant, of the session engine's seven; `nil` for a check besides them.
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
            "A session that had ended is present again, in a process that ended it or in the store."
        case .refreshedTwice: "Two processes that hold the lock refresh the same login at the same time."
        case .loggedOutUnexpectedly:
            "A session ended without a sign-out or a verdict of the server, or the server mistook a legitimate refresh for token theft."
        case .unavailableChangedState: "A read of an unavailable store changed the session status."
        case .tokenLost: "The store holds a token whose successor was already used."
        case .answeredTwice: "A caller that was not waiting received an answer."
        case .neverAnswered: "A caller waits although no operation is in progress."
        case .signOutFailed: "The user signed out and is still logged in."
        case .announcedIncomplete: "A login without its certificate counts as a session."
        case .announcedWrongStatus: "The announced status differs from the actual one."
        }
    }

    /// The source file and the moment of the check.
    package var location: String {
        switch self {
        case .revived: "ModelState+Check.swift, after each event and each step"
        case .refreshedTwice: "ModelState+Check.swift, when a refresh request is sent"
        case .loggedOutUnexpectedly:
            "ModelState+Check.swift, after each event and each step; ModelState+Store.swift, at each removal; "
                + "ModelState+Apply.swift, at each answer of the server"
        case .unavailableChangedState, .signOutFailed, .announcedIncomplete:
            "ModelState+Check.swift, after each event"
        case .tokenLost, .neverAnswered: "ModelState+Check.swift, after each step"
        case .answeredTwice, .announcedWrongStatus: "ModelState+Apply.swift, at each such effect"
        }
    }
}
