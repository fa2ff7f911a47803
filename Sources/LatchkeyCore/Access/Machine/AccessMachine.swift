/// The state machine for on-demand login: `(state, event) -> (state, [effect])`.
///
/// The machine doesn't read the clock, generate random numbers or perform I/O. The machine's driver passes in
/// one event at a time and performs the resulting effects in order. The results of the effects come back as
/// events. No other code decides which callers receive a session or when a login is presented.
///
/// The session itself is managed by ``SessionMachine``; this machine only tracks its status. Logins and
/// accounts are represented by numbers, so that the machine never contains a secret.
package struct AccessMachine: Hashable, Sendable {
    /// A login on this device, identified by a number.
    package struct Login: Hashable, Sendable {
        /// The number of the login, which stays the same when tokens are refreshed or the profile changes.
        package var number: UInt32
        /// The number assigned to the account of the logged-in user.
        package var account: UInt32

        /// Creates a login.
        package init(number: UInt32, account: UInt32) {
            (self.number, self.account) = (number, account)
        }
    }

    /// The session status that the machine's decisions depend on.
    package enum Status: Hashable, Sendable {
        /// The store has not been read yet.
        case unread
        /// The store cannot be read. A user may be logged in, so no login is presented.
        case unavailable
        /// No user is logged in.
        case signedOut
        /// A user is logged in.
        case signedIn(Login)
    }

    /// The purpose that a caller needs a session for.
    package enum Need: Hashable, Sendable {
        /// The caller wants to run an action as the user.
        case action(LoginPolicy)
        /// The caller wants to log in, unless a user is already logged in.
        case login

        /// Whether the caller waits while a login is presented, instead of failing.
        var allowsPresentation: Bool { self != .action(.never) }
    }

    /// A caller that is waiting for a session.
    package struct Waiter: Hashable, Sendable {
        /// The number that the driver assigned to the caller.
        package var caller: Caller
        /// The purpose that the caller needs the session for.
        package var need: Need
        /// The login that the action ran with for the first time, or `nil` if the action hasn't run yet.
        ///
        /// The login has ended, or it requires a step for the action.
        package var former: Login?

        /// Creates a waiting caller.
        package init(caller: Caller, need: Need, former: Login? = nil) {
            (self.caller, self.need, self.former) = (caller, need, former)
        }
    }

    /// A caller whose action is running.
    package struct Runner: Hashable, Sendable {
        /// Whether the action waits for a login.
        package var policy: LoginPolicy
        /// The login that the action is running with.
        package var login: Login
        /// Whether the action may run again if the session ends.
        ///
        /// This is `true` while the action runs for the first time, unless the user has signed out.
        package var mayRepeat: Bool

        /// Creates a caller whose action is running.
        package init(policy: LoginPolicy, login: Login, mayRepeat: Bool) {
            (self.policy, self.login, self.mayRepeat) = (policy, login, mayRepeat)
        }
    }

    /// A login that is being presented.
    ///
    /// Only one login can be presented at a time.
    package struct Presentation: Hashable, Sendable {
        /// The phase that a presentation is in.
        package enum Phase: Hashable, Sendable {
            /// The user is logging in. The phase changes to `duties` or `closing` after the login.
            case flow
            /// The user is logged in and has to complete required steps. The phase changes to `closing` after
            /// the last step, or back to `flow` if the session ends.
            case duties
            /// The presentation has ended, but its presenter has not returned yet. The next presentation
            /// begins when the presenter returns.
            case closing
        }

        /// The number that the driver uses to identify the presentation.
        package var number: UInt32
        /// The current phase.
        package var phase: Phase
        /// Whether a caller explicitly asked for the login.
        ///
        /// A presentation that was requested explicitly stays open even if no caller is waiting for it.
        package var isExplicit: Bool

        /// Creates a presentation.
        package init(number: UInt32, phase: Phase, isExplicit: Bool) {
            (self.number, self.phase, self.isExplicit) = (number, phase, isExplicit)
        }
    }

    /// The number that identifies a caller.
    package typealias Caller = UInt32

    /// The current session status.
    package internal(set) var status = Status.unread
    /// The number of required steps that the user still has to complete, as far as the machine knows.
    ///
    /// The login requires these steps of all callers, unless an action is waiting for them
    /// (``requestsDuty``).
    package internal(set) var openDuties: UInt8 = 0
    /// The presentation whose login is being processed: its answers have been sent, and the session hasn't
    /// been stored yet.
    ///
    /// While this is set, callers don't receive a new session, because we don't know yet which steps the
    /// session requires.
    package internal(set) var admission: UInt32?
    /// The presentation in progress, or `nil` if there is none.
    package internal(set) var presentation: Presentation?
    /// The number of presentations so far, which is also the number of the latest one.
    package internal(set) var presentationCount: UInt32 = 0
    /// The callers that are waiting, in order of arrival.
    package internal(set) var waiters: [Waiter] = []
    /// The callers whose actions are running.
    package internal(set) var runners: [Caller: Runner] = [:]

    /// Creates the machine in the state it has when a process starts.
    package init() {}

    /// Creates a machine in any state.
    ///
    /// The explorer uses this to continue from a given state.
    package init(
        status: Status,
        openDuties: UInt8,
        admission: UInt32?,
        presentation: Presentation?,
        presentationCount: UInt32,
        waiters: [Waiter],
        runners: [Caller: Runner]
    ) {
        (self.status, self.openDuties, self.admission) = (status, openDuties, admission)
        (self.presentation, self.presentationCount) = (presentation, presentationCount)
        (self.waiters, self.runners) = (waiters, runners)
    }
}
