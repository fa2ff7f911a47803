/// The state machine of login on demand: `(state, event) -> (state, [effect])`.
///
/// It reads no clock, uses no random numbers and performs no input or output. Its driver passes in one event
/// at a time and performs the effects in order; their results come back as events. No other code decides
/// which caller receives a session, or whether a login is presented.
///
/// The session itself belongs to ``SessionMachine``; this machine only follows its status. It knows logins
/// and accounts by numbers, so that no secret can reach it.
package struct AccessMachine: Hashable, Sendable {
    /// A login of the device, by number.
    package struct Login: Hashable, Sendable {
        /// The number of the login; refreshes and profile changes do not change it.
        package var number: UInt32
        /// The number of the account that is logged in.
        package var account: UInt32

        /// Creates a login.
        package init(number: UInt32, account: UInt32) {
            (self.number, self.account) = (number, account)
        }
    }

    /// The machine's view of the session.
    package enum Status: Hashable, Sendable {
        /// The store has not been read.
        case unread
        /// The store cannot be read. No login is presented: a user may be logged in.
        case unavailable
        /// No user is logged in.
        case signedOut
        /// A user is logged in.
        case signedIn(Login)
    }

    /// A caller's need.
    package enum Need: Hashable, Sendable {
        /// Run an action as the user.
        case action(LoginPolicy)
        /// Log in, unless a user is logged in.
        case login

        /// Whether the caller waits for a presented login, rather than failing.
        var allowsPresentation: Bool { self != .action(.never) }
    }

    /// A caller that waits for a session.
    package struct Waiter: Hashable, Sendable {
        /// The number by which the driver identifies the caller.
        package var caller: Caller
        /// The need of the caller.
        package var need: Need
        /// The login that ended under the first run of the action; `nil` before the first run.
        package var former: Login?

        /// Creates a waiting caller.
        package init(caller: Caller, need: Need, former: Login? = nil) {
            (self.caller, self.need, self.former) = (caller, need, former)
        }
    }

    /// A caller whose action runs.
    package struct Runner: Hashable, Sendable {
        /// The policy of the action.
        package var policy: LoginPolicy
        /// The login that the action was given.
        package var login: Login
        /// Whether the action may run again if the session ends: on its first run, unless the user signed out.
        package var mayRepeat: Bool

        /// Creates a caller whose action runs.
        package init(policy: LoginPolicy, login: Login, mayRepeat: Bool) {
            (self.policy, self.login, self.mayRepeat) = (policy, login, mayRepeat)
        }
    }

    /// A presented login, of which there is at most one.
    package struct Presentation: Hashable, Sendable {
        /// The progress of a presentation.
        package enum Phase: Hashable, Sendable {
            /// The user logs in. Changes to `duties` or `closing` when a user is logged in.
            case flow
            /// The user is logged in and has duties to fulfill. Changes to `closing` after the last one, or to
            /// `flow` if the session ends.
            case duties
            /// The presentation has ended, and its presenter has not returned. The next presentation begins
            /// when it returns.
            case closing
        }

        /// The number by which the driver identifies the presentation.
        package var number: UInt32
        /// The progress.
        package var phase: Phase
        /// Whether a caller requested the login explicitly; such a login stays when no caller waits for it.
        package var isExplicit: Bool

        /// Creates a presentation.
        package init(number: UInt32, phase: Phase, isExplicit: Bool) {
            (self.number, self.phase, self.isExplicit) = (number, phase, isExplicit)
        }
    }

    /// A number that identifies a caller.
    package typealias Caller = UInt32

    /// The machine's view of the session.
    package internal(set) var status = Status.unread
    /// The number of open duties of the current login, as far as they are known.
    package internal(set) var openDuties: UInt8 = 0
    /// The presentation whose answers were sent to the server, until their login is stored or has failed.
    ///
    /// Meanwhile, a session that appears is not given to callers, because its duties are not known.
    package internal(set) var admission: UInt32?
    /// The presented login, until its presenter has returned.
    package internal(set) var presentation: Presentation?
    /// The number of the last presentation.
    package internal(set) var presentationCount: UInt32 = 0
    /// The waiting callers, in order of arrival.
    package internal(set) var waiters: [Waiter] = []
    /// The callers whose actions run.
    package internal(set) var runners: [Caller: Runner] = [:]

    /// Creates the machine for a process that has just started.
    package init() {}

    /// Creates a machine in any state; the explorer uses it to continue from there.
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
