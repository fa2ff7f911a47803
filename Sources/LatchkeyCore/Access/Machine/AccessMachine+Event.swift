/// The events of the access machine: its inputs, and the results of its effects.
extension AccessMachine {
    /// An input of the machine.
    ///
    /// Events of a presentation carry its number, so that a late event does not affect the next one.
    package enum Event: Hashable, Sendable {
        /// The status of the session has changed, in this process or in another one.
        case sessionChanged(Status)
        /// The user or the app signed out in this process, whether or not a user was logged in.
        case signedOut
        /// A caller requests a session.
        case asked(Caller, Need)
        /// A caller was cancelled, while it waited or while its action ran.
        case left(Caller)
        /// A caller's action has ended, and does not run again.
        case finished(Caller)
        /// A caller's action failed because its session ended; `mayRepeat` is whether it may run again.
        case sessionEnded(Caller, mayRepeat: Bool)
        /// The user's answers were sent to the server; an accepted login is stored before the next event.
        case admitting(UInt32)
        /// A login was stored; `duties` is the number of its open duties.
        case admitted(UInt32, Login, duties: UInt8)
        /// The answers did not lead to a login: they were rejected, or the login could not be stored.
        case admissionFailed(UInt32)
        /// The user has fulfilled a duty.
        case dutyFulfilled(UInt32)
        /// The user dismissed the presentation.
        case dismissed(UInt32)
        /// A presentation could not begin, because the app has set no presenter.
        case presenterMissing(UInt32)
        /// The presenter returned, or it was deallocated before the presentation began.
        case presenterReturned(UInt32)
    }
}
