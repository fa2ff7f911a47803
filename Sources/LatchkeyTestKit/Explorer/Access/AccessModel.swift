package import LatchkeyCore

/// A state of the model of login on demand: a few processes of one app, their users, presenters and store.
///
/// The expected state of each caller and presentation is tracked beside the state machines, and is not
/// derived from them.
package struct AccessModel: ExplorerModel, Hashable {
    /// A caller, as it appears to itself.
    package enum Caller: Hashable, Sendable {
        /// The caller has no request.
        case idle
        /// The caller waits for a session; `former` is the login under which its action ran first.
        case waiting(AccessMachine.Need, former: AccessMachine.Login?)
        /// The caller's action runs.
        case running(LoginPolicy, AccessMachine.Login, isRepetition: Bool, hasSignedOut: Bool)
    }

    /// A call of the presenter, which has not returned.
    package struct PresenterCall: Hashable, Sendable {
        /// The number of the presentation.
        package internal(set) var number: UInt32
        /// Whether the presentation is visible.
        package internal(set) var isOpen = true
        /// Whether a caller requested it explicitly.
        package internal(set) var isExplicit: Bool
        /// The content of the presentation.
        package internal(set) var content = Content.login

        /// The content of a presentation.
        package enum Content: UInt8, Hashable, Sendable {
            /// A login.
            case login
            /// A login that is completed, and cannot be used again.
            case completedLogin
            /// The duties of the current login.
            case duties
        }
    }

    /// A login that the server has accepted in a presentation.
    package struct Admission: Hashable, Sendable {
        /// The progress of the login.
        package enum Phase: UInt8, Hashable, Sendable {
            /// The login can be stored.
            case accepted = 1
            /// The login can no longer be stored, because the user signed out.
            case refused
            /// The login was stored.
            case stored
        }

        /// The number of the presentation.
        package internal(set) var number: UInt32
        /// The login.
        package internal(set) var login: AccessMachine.Login
        /// The number of its duties.
        package internal(set) var duties: UInt8
        /// The progress.
        package internal(set) var phase = Phase.accepted
    }

    /// A process: its state machine, callers and presenter.
    package struct Process: Hashable, Sendable {
        /// The state machine under test.
        package internal(set) var machine = AccessMachine()
        /// The status of the session that the machine was notified of last.
        package internal(set) var known = AccessMachine.Status.unread
        /// The open duties of the current login.
        package internal(set) var duties: UInt8 = 0
        /// Whether a notification of another process's change is pending.
        package internal(set) var hasPendingChange = false
        /// The current call of the presenter.
        package internal(set) var call: PresenterCall?
        /// The login in progress.
        package internal(set) var admission: Admission?
        /// The callers.
        package internal(set) var callers: [Caller] = []

        /// Whether a caller waits for a presentation.
        var needsPresentation: Bool {
            callers.contains {
                if case .waiting(let need, _) = $0 { need != .action(.never) } else { false }
            }
        }
    }

    /// The app's processes, in a fixed order.
    package internal(set) var processes: [Process]
    /// The login in the store; `nil` if there is none.
    package internal(set) var record: AccessMachine.Login?
    /// The number of the latest login.
    package internal(set) var lastLogin: UInt32 = 0
    /// The remaining number of steps of each kind.
    package internal(set) var budget: AccessBounds

    /// Creates a state with processes that have just started and an empty store.
    package init(_ bounds: AccessBounds) {
        processes = Array(repeating: Process(), count: bounds.processes)
        budget = bounds
        for caller in 0..<bounds.callers { processes[caller % bounds.processes].callers.append(.idle) }
    }

    /// Creates a state without processes, for ``AccessModelDecoder`` to fill.
    init(empty budget: AccessBounds) {
        (processes, self.budget) = ([], budget)
    }
}
