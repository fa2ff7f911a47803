/// The events of the state machine: its inputs, and the results of its effects.
extension SessionMachine {
    /// An input of the machine.
    ///
    /// The result of an effect carries the epoch in which the effect was requested; the result of a login
    /// carries the sign-out count instead.
    package enum Event: Hashable, Sendable {
        /// The process has started.
        case started
        /// Another process may have changed the record.
        case changed
        /// The store was read; if the read was part of a refresh, `refreshRead` is its number.
        case read(Reading, epoch: UInt32, refreshRead: UInt32?)
        /// A caller requests access.
        case asked(Caller, Need)
        /// A caller stopped waiting.
        case cancelled(Caller)
        /// A refresh holds the lock, or its wait for the lock timed out.
        case locked
        /// The server answered a refresh.
        case answered(Answer, to: SessionHandle)
        /// Data other than the credentials has changed, such as the profile or the certificate.
        case amended(SessionHandle, to: SessionHandle)
        /// A refreshed or amended session was written.
        case saved(SessionHandle, generation: UInt64, epoch: UInt32)
        /// A refreshed or amended session could not be written.
        case saveFailed(SessionHandle, SessionStoreError.Code, epoch: UInt32)
        /// A login was accepted and certified; `signOuts` is the sign-out count at the beginning of the
        /// attempt.
        case loginSucceeded(Caller, SessionHandle, signOuts: UInt32)
        /// A login was written to the store.
        case replaced(Caller, SessionHandle, generation: UInt64, signOuts: UInt32)
        /// A login could not be written to the store.
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
        /// The store holds a record with this generation.
        case present(SessionHandle, generation: UInt64)
        /// The store holds no record.
        case absent
        /// The store could not be read.
        case unavailable(SessionStoreError.Code)
    }

    /// The server's answer to a refresh.
    package enum Answer: Hashable, Sendable {
        /// The server issued a new token pair.
        case granted(SessionHandle)
        /// The server rejected the refresh because the session has ended; no other answer ends the session.
        case refused
        /// The request was too old to be evaluated; the store is read again and the request is repeated.
        case stale
        /// No verdict: a network error, no answer, or an answer that does not concern the session.
        case failed
    }
}
