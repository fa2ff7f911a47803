/// The operations that ``AccessMachine`` asks its driver to perform, including responses to callers.
extension AccessMachine {
    /// An operation that the driver performs.
    package enum Effect: Hashable, Sendable {
        /// Give the session to a caller, so that its action can start.
        case grant(Caller, Login)
        /// Fail a caller with an error.
        case refuse(Caller, Refusal)
        /// Present a login, or, in the `duties` phase, the steps that the current login still requires. The
        /// given caller is the first in the queue.
        case present(UInt32, for: Caller)
        /// Show the steps that the new login requires, in the presentation where the user logged in.
        case showDuties(UInt32)
        /// Restart the login in a presentation, because the session ended before its required steps were
        /// completed.
        case restart(UInt32)
        /// End a presentation. The machine returns this effect exactly once for each presentation.
        case close(UInt32, Ending)
    }

    /// The reason why a caller doesn't receive a session.
    package enum Refusal: Hashable, Sendable {
        /// No user is logged in, or the user signed out.
        case signedOut
        /// The user dismissed the login.
        case dismissed
        /// The user is logged in but dismissed a required step, or the caller doesn't want to wait until the
        /// required steps are completed.
        case dutyRequired
        /// The app has not set a presenter.
        case noPresenter
        /// The store could not be read.
        case unavailable
        /// The session ended, and another account logged in before the action ran again.
        case superseded
        /// The action isn't run again, because it has already run twice, its session is still valid, the user
        /// signed out, or the caller doesn't allow it or doesn't wait for the required step. The caller
        /// receives the error thrown by its action.
        case notRepeated
    }

    /// The reason why a presentation ended.
    package enum Ending: Hashable, Sendable {
        /// A user is logged in and has completed every required step.
        case finished
        /// The user dismissed the presentation, or the presenter returned early.
        case dismissed
        /// The user or the app signed out.
        case signedOut
        /// No caller is waiting for the login anymore.
        case withdrawn
        /// The app has not set a presenter.
        case noPresenter
    }
}
