/// A violation of an invariant of the session engine.
package enum ExploredViolation: String, Error, Sendable, CaseIterable {
    case revived
    case refreshedTwice
    case loggedOutByAccident
    case unavailableChangedState
    case tokenLost
    case answeredTwice
    case neverAnswered
    case signOutFailed
    case announcedIncomplete
    case toldSomethingElse

    /// The number of the violated invariant, of the session engine's seven; `nil` for a check besides them.
    package var invariant: Int? {
        switch self {
        case .revived: 1
        case .refreshedTwice: 2
        case .loggedOutByAccident: 3
        case .unavailableChangedState: 4
        case .tokenLost: 5
        case .answeredTwice, .neverAnswered, .signOutFailed: 6
        case .announcedIncomplete: 7
        case .toldSomethingElse: nil
        }
    }

    /// A description of the violation.
    package var sentence: String {
        switch self {
        case .revived: "A session is back that had ended, in a process that ended it or in the store."
        case .refreshedTwice: "Two processes that hold the lock ask about one login at a time."
        case .loggedOutByAccident:
            "A session ended without a sign-out or the server's word, or the server took an honest question for a theft."
        case .unavailableChangedState: "A store that could not tell changed what is known."
        case .tokenLost: "The store holds a token whose successor was used."
        case .answeredTwice: "A caller got an answer who does not wait for one."
        case .neverAnswered: "A caller waits, and nothing is under way."
        case .signOutFailed: "Somebody signed out and is still logged in."
        case .announcedIncomplete: "A login without its certificate counts as one."
        case .toldSomethingElse: "What was announced is not the truth."
        }
    }

    /// The source file and the moment of the check.
    package var place: String {
        switch self {
        case .revived: "ExploredWorld+Check.swift, after each event and each step"
        case .refreshedTwice: "ExploredWorld+Check.swift, when the server is asked"
        case .loggedOutByAccident:
            "ExploredWorld+Check.swift, after each event and each step; ExploredWorld+Store.swift, at each removal; "
                + "ExploredWorld+Apply.swift, at each verdict"
        case .unavailableChangedState, .signOutFailed, .announcedIncomplete:
            "ExploredWorld+Check.swift, after each event"
        case .tokenLost, .neverAnswered: "ExploredWorld+Check.swift, after each step"
        case .answeredTwice, .toldSomethingElse: "ExploredWorld+Apply.swift, at each such effect"
        }
    }
}
