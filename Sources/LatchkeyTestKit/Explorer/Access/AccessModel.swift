package import LatchkeyCore

/// A state of the login-on-demand model: a few processes of one app, with their users, presenters and store.
///
/// The expected state of each caller and presentation is tracked separately from the state machines, not
/// derived from them.
package struct AccessModel: ExplorerModel, Hashable {
    /// The state of a request for a session, from the caller's point of view.
    package enum Caller: Hashable, Sendable {
        /// The caller hasn't requested a session.
        case idle
        /// The caller is waiting for a session.
        ///
        /// `former` is the login that the caller's action first ran with, or `nil` if the action hasn't run
        /// yet.
        case waiting(AccessMachine.Need, former: AccessMachine.Login?)
        /// The caller's action is running.
        case running(LoginPolicy, AccessMachine.Login, isRepetition: Bool, hasSignedOut: Bool)
    }

    /// A call to the presenter that hasn't returned yet.
    package struct PresenterCall: Hashable, Sendable {
        /// The presentation's number.
        package internal(set) var number: UInt32
        /// Whether the presentation is visible.
        package internal(set) var isOpen = true
        /// Whether a caller has explicitly requested the presentation.
        package internal(set) var isExplicit: Bool
        /// The content that the presentation shows.
        package internal(set) var content = Content.login

        /// The kinds of content that a presentation can show.
        package enum Content: UInt8, Hashable, Sendable {
            /// A login.
            case login
            /// A login that has been completed and can't be used again.
            case completedLogin
            /// The current login's duties.
            case duties
        }
    }

    /// A login that the server has accepted during a presentation.
    package struct Admission: Hashable, Sendable {
        /// How far the login has progressed.
        package enum Phase: UInt8, Hashable, Sendable {
            /// The login can be stored.
            case accepted = 1
            /// The login can no longer be stored, because the user signed out.
            case refused
            /// The login has been stored.
            case stored
        }

        /// The presentation's number.
        package internal(set) var number: UInt32
        /// The accepted login.
        package internal(set) var login: AccessMachine.Login
        /// The number of duties that the login has.
        package internal(set) var duties: UInt8
        /// How far the login has progressed.
        package internal(set) var phase = Phase.accepted
    }

    /// A process with its state machine, callers and presenter.
    package struct Process: Hashable, Sendable {
        /// The state machine under test.
        package internal(set) var machine = AccessMachine()
        /// The last session status that the machine was notified of.
        package internal(set) var known = AccessMachine.Status.unread
        /// The number of duties that the user still has to complete for the current login.
        package internal(set) var duties: UInt8 = 0
        /// Whether the process still has to be notified of a change by another process.
        package internal(set) var hasPendingChange = false
        /// The current call to the presenter, if any.
        package internal(set) var call: PresenterCall?
        /// The login in progress, if any.
        package internal(set) var admission: Admission?
        /// The process's callers.
        package internal(set) var callers: [Caller] = []

        /// Whether a caller is waiting for a duty that its action required.
        ///
        /// Such a caller has already run with the current login.
        var requestsDuty: Bool {
            callers.contains { caller in
                guard case .waiting(_, let former?) = caller else { return false }
                return known == .signedIn(former)
            }
        }

        /// Whether any caller is waiting for a presentation.
        var needsPresentation: Bool {
            callers.contains {
                if case .waiting(let need, _) = $0 { need != .action(.never) } else { false }
            }
        }
    }

    /// The app's processes, in a fixed order.
    package internal(set) var processes: [Process]
    /// The login in the store, or `nil` if the store is empty.
    package internal(set) var record: AccessMachine.Login?
    /// The latest login's number.
    package internal(set) var lastLogin: UInt32 = 0
    /// How many steps of each kind are left.
    package internal(set) var budget: AccessBounds

    /// Creates a state in which all processes have just started and the store is empty.
    package init(_ bounds: AccessBounds) {
        processes = Array(repeating: Process(), count: bounds.processes)
        budget = bounds
        for caller in 0..<bounds.callers { processes[caller % bounds.processes].callers.append(.idle) }
    }

    /// Creates a state without any processes, which ``AccessModelDecoder`` then adds.
    init(empty budget: AccessBounds) {
        (processes, self.budget) = ([], budget)
    }
}
