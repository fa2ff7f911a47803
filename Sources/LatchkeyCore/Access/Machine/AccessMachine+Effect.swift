/// The effects of the access machine: the operations that its driver performs, and the answers to callers.
extension AccessMachine {
    /// An operation that the driver performs.
    package enum Effect: Hashable, Sendable {
        /// Give a session to a caller, whose action runs now.
        case grant(Caller, Login)
        /// Fail a caller.
        case refuse(Caller, Refusal)
        /// Present a login; in the phase `duties`, present the duties of the current one. The caller is the first
        /// one that waits for it.
        case present(UInt32, for: Caller)
        /// Show the duties of the current login in a presentation that showed a login.
        case showDuties(UInt32)
        /// Begin the login of a presentation again, because the session ended before its duties were fulfilled.
        case restart(UInt32)
        /// End a presentation; requested exactly once for each.
        case close(UInt32, Ending)
    }

    /// The reason why a caller gets no session.
    package enum Refusal: Hashable, Sendable {
        /// No user is logged in, or the user signed out.
        case signedOut
        /// The user dismissed the login.
        case dismissed
        /// The user is logged in and dismissed a duty, or the caller does not wait for its fulfillment.
        case dutyOpen
        /// The app has set no presenter.
        case noPresenter
        /// The store could not be read.
        case unavailable
        /// The session ended, and another account logged in before the action ran again.
        case superseded
        /// The action does not run again: it has run twice, its session is still valid, the user signed out, or
        /// the caller does not permit it. The caller fails with the error of its action.
        case notRepeated
    }

    /// The end of a presentation.
    package enum Ending: Hashable, Sendable {
        /// A user is logged in, and has no open duties.
        case finished
        /// The user dismissed it, or the presenter returned.
        case dismissed
        /// The user or the app signed out.
        case signedOut
        /// No caller waits for it any more.
        case withdrawn
        /// The app has set no presenter.
        case noPresenter
    }
}
