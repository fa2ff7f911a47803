/// The events that ``SessionMachine`` receives: requests, and results of its effects.
extension SessionMachine {
    /// An event that the machine processes.
    ///
    /// The result of an effect includes the epoch in which the effect was requested. The result of a login
    /// includes the sign-out count instead of the epoch.
    package enum Event: Hashable, Sendable {
        /// The process has started.
        case started
        /// Another process may have changed the record.
        case changed
        /// The store was read. If the read was part of a refresh, `refreshRead` is its number.
        case read(Reading, epoch: UInt32, refreshRead: UInt32?)
        /// A caller requests the session.
        case asked(Caller, Need)
        /// A caller stopped waiting.
        case cancelled(Caller)
        /// The lock for a refresh was acquired, or waiting for it timed out.
        case locked
        /// The server responded to a refresh request.
        case answered(Answer, to: SessionHandle)
        /// Data other than the credentials changed, such as the profile or the certificate.
        case amended(SessionHandle, to: SessionHandle)
        /// A refreshed or modified session was written.
        case saved(SessionHandle, generation: UInt64, epoch: UInt32)
        /// A refreshed or modified session could not be written.
        case saveFailed(SessionHandle, SessionStoreError.Code, epoch: UInt32)
        /// A login was accepted by the server and has a certificate if it needs one. `signOuts` is the
        /// sign-out count when the attempt began.
        case loginSucceeded(Caller, SessionHandle, signOuts: UInt32)
        /// A login was written to the store.
        case replaced(Caller, SessionHandle, generation: UInt64, signOuts: UInt32)
        /// A login could not be written to the store.
        case replaceFailed(Caller, SessionStoreError.Code, signOuts: UInt32)
        /// The user or the app signed out.
        case signedOut
        /// The server responded that a login has ended.
        case ended(SessionHandle)
        /// A record was removed from the store.
        case removed(epoch: UInt32)
        /// A record could not be removed and may still be in the store.
        case removalFailed(epoch: UInt32)
    }

    /// The result of reading the store.
    package enum Reading: Hashable, Sendable {
        /// The store contains a record with this generation.
        case present(SessionHandle, generation: UInt64)
        /// The store doesn't contain a record.
        case absent
        /// The store could not be read.
        case unavailable(SessionStoreError.Code)
    }

    /// The server's response to a refresh request.
    package enum Answer: Hashable, Sendable {
        /// The server issued a new token pair.
        case granted(SessionHandle)
        /// The server rejected the request because the session has ended. No other response ends the session.
        case refused
        /// The request was too old to be evaluated. We read the store again and repeat the request.
        case stale
        /// There was a network error, no response, or a response that doesn't say whether the session has
        /// ended.
        case failed
    }
}
