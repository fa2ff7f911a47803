/// The events of the state machine: its inputs, and the results of its effects.
extension SessionMachine {
    /// An input of the machine.
    ///
    /// Results of effects carry the epoch in which the effect was requested, those of logins the count of
    /// sign-outs.
    package enum Event: Hashable, Sendable {
        /// The process has started.
        case started
        /// Another process may have changed the record.
        case changed
        /// The store was read; for a refresh if `refreshRead` is its number.
        case read(Reading, epoch: UInt32, refreshRead: UInt32?)
        /// A caller requests access.
        case asked(Caller, Need)
        /// A caller stopped waiting.
        case cancelled(Caller)
        /// A refresh holds the lock, or has waited for it long enough.
        case locked
        /// The server answered a refresh.
        case answered(Answer, to: SessionHandle)
        /// Data other than the credentials has changed, such as the profile or the certificate.
        case amended(SessionHandle, to: SessionHandle)
        /// A refreshed or amended session was written.
        case saved(SessionHandle, generation: UInt64, epoch: UInt32)
        /// A refreshed or amended session could not be written.
        case saveFailed(SessionHandle, SessionStoreError.Code, epoch: UInt32)
        /// A login was accepted and certified; `signOuts` is the count at the beginning of its attempt.
        case loginSucceeded(Caller, SessionHandle, signOuts: UInt32)
        /// A login was written.
        case replaced(Caller, SessionHandle, generation: UInt64, signOuts: UInt32)
        /// A login could not be written.
        case replaceFailed(Caller, SessionStoreError.Code, signOuts: UInt32)
        /// The user or the app signed out.
        case signedOut
        /// The server responded that a login has ended.
        case ended(SessionHandle)
        /// A removal succeeded: the record is no longer in the store.
        case removed(epoch: UInt32)
        /// A removal failed: the record may still be in the store.
        case removalFailed(epoch: UInt32)
    }

    /// The result of reading the store.
    package enum Reading: Hashable, Sendable {
        /// The store holds a record, with the number of its last write.
        case present(SessionHandle, generation: UInt64)
        /// The store holds no record.
        case absent
        /// The store could not be read.
        case unavailable(SessionStoreError.Code)
    }

    /// The server's answer to a refresh.
    package enum Answer: Hashable, Sendable {
        /// The server issued a successor.
        case granted(SessionHandle)
        /// The server refused because the session has ended; the only answer that ends it.
        case refused
        /// The request was too old to be judged; the store is read again and the request repeated.
        case stale
        /// No verdict: network error, no answer, or an answer without meaning for the session.
        case failed
    }
}
