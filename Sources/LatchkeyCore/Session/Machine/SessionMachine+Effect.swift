/// The effects of the state machine: the operations that its driver performs, and the outcomes for callers.
extension SessionMachine {
    /// An operation that the driver performs.
    ///
    /// The driver performs writes and removals only if the machine's epoch or sign-out count has not changed.
    package enum Effect: Hashable, Sendable {
        /// Read the store.
        ///
        /// A read that is part of a refresh has a number. If a request follows, its proof is dated before the
        /// read, so that the server can distinguish a late request from a stolen token.
        case read(epoch: UInt32, refreshRead: UInt32?)
        /// Wait for the refresh lock, for a bounded time.
        case lock
        /// Release the refresh lock, or stop waiting for it.
        case unlock
        /// Request a new token pair from the server in exchange for the current one.
        case ask(SessionHandle)
        /// Write a refreshed or amended session if the record still has the generation `basedOn`.
        case save(SessionHandle, basedOn: UInt64, epoch: UInt32)
        /// Write a new login in place of the current record.
        case replace(Caller, SessionHandle, signOuts: UInt32)
        /// Remove a record from the store.
        case remove(Removal, epoch: UInt32)
        /// Answer a caller.
        case answer(Caller, Outcome)
        /// Notify all observers of the new state.
        case announce(Status)
    }

    /// The result that a caller receives.
    package enum Outcome: Hashable, Sendable {
        /// The caller is granted access with this session.
        case access(SessionHandle)
        /// No user is logged in.
        case signedOut
        /// Another login replaced the one that the caller asked about, or a sign-out happened after the
        /// caller's login began.
        case superseded
        /// The store could not be read; the session may still be valid.
        case unavailable(SessionStoreError.Code)
        /// The server could not be reached or gave no verdict; the session remains active.
        case failed
    }
}
