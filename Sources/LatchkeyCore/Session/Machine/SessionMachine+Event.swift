extension SessionMachine {
    /// What happens to a session.
    ///
    /// Results of effects carry the epoch in which the effect was asked for, those of logins the count of sign-outs.
    package enum Event: Hashable, Sendable {
        /// The process has begun.
        case started
        /// Another process may have changed the record.
        case changed
        /// The store was read, for a refresh if there is a number.
        case read(Reading, epoch: UInt32, look: UInt32?)
        /// A caller wants access.
        case asked(Caller, Need)
        /// A caller gives up waiting.
        case left(Caller)
        /// A refresh has the lock, or has waited for it long enough.
        case locked
        /// The server answered a refresh.
        case answered(Answer, to: SessionHandle)
        /// Something beside the credentials has changed, such as the profile or the certificate.
        case amended(SessionHandle, to: SessionHandle)
        /// A refreshed or amended session was written.
        case saved(SessionHandle, generation: UInt64, epoch: UInt32)
        /// A refreshed or amended session could not be written.
        case notSaved(SessionHandle, SessionStoreError.Code, epoch: UInt32)
        /// A login was accepted and certified; it began after so many sign-outs.
        case admitted(Caller, SessionHandle, signOuts: UInt32)
        /// A login was written.
        case replaced(Caller, SessionHandle, generation: UInt64, signOuts: UInt32)
        /// A login could not be written.
        case notReplaced(Caller, SessionStoreError.Code, signOuts: UInt32)
        /// The person signed out, or the app did.
        case signedOut
        /// The server said that a login is over.
        case ended(SessionHandle)
        /// What was to be removed is not there any more.
        case removed(epoch: UInt32)
        /// It may still be there.
        case notRemoved(epoch: UInt32)
    }

    /// What a store says.
    package enum Reading: Hashable, Sendable {
        case present(SessionHandle, generation: UInt64)
        case absent
        case unavailable(SessionStoreError.Code)
    }

    /// What the server says to a refresh.
    package enum Answer: Hashable, Sendable {
        /// Here is the successor.
        case granted(SessionHandle)
        /// The session is over: a verdict.
        case refused
        /// The question was too old to be judged; look again, and ask anew.
        case stale
        /// Nothing is known: no network, no answer, or none that means anything.
        case failed
    }
}
