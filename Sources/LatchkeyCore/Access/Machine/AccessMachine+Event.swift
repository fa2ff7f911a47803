/// The events that ``AccessMachine`` receives: requests from callers, and results of its effects.
extension AccessMachine {
    /// An event that the machine processes.
    ///
    /// Events about a presentation include its number, so that an event that arrives late doesn't affect the
    /// next presentation.
    package enum Event: Hashable, Sendable {
        /// The session status changed, in this process or in another one.
        case sessionChanged(Status)
        /// The user or the app signed out in this process, even if no user was logged in.
        case signedOut
        /// A caller requests a session.
        case asked(Caller, Need)
        /// A caller was cancelled while it was waiting or while its action was running.
        case left(Caller)
        /// A caller's action finished and won't be run again.
        case finished(Caller)
        /// A caller's action failed because its session ended. `mayRepeat` is `true` if the action may run
        /// again.
        case sessionEnded(Caller, mayRepeat: Bool)
        /// A caller's action failed because the user has to complete a step first. `mayRepeat` is `true` if
        /// the action may run again.
        case dutyRequired(Caller, mayRepeat: Bool)
        /// The user's answers were sent to the server. If the server accepts the login, it is stored before
        /// the next event.
        case admitting(UInt32)
        /// A login was stored. `duties` is the number of steps that the login still requires.
        case admitted(UInt32, Login, duties: UInt8)
        /// The answers were rejected, or the login could not be stored.
        case admissionFailed(UInt32)
        /// The user completed a required step.
        case dutyFulfilled(UInt32)
        /// The user dismissed the presentation.
        case dismissed(UInt32)
        /// The presentation could not begin because the app has not set a presenter.
        case presenterMissing(UInt32)
        /// The presenter returned, or it was deallocated before the presentation began.
        case presenterReturned(UInt32)
    }
}
