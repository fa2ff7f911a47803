/// The effects of the state machine: the operations that its driver performs, and the outcomes for callers.
extension SessionMachine {
    /// An operation that the driver performs.
    ///
    /// Writes and removals are performed only while the machine's epoch or count of sign-outs is the same.
    package enum Effect: Hashable, Sendable {
        /// Read the store.
        ///
        /// A read for a refresh has a number. The proof of the request that may follow is dated before the
        /// read, so that the server can distinguish a late request from a stolen token.
        case read(epoch: UInt32, refreshRead: UInt32?)
        /// Wait for the refresh lock, for a bounded time.
        case lock
        /// Release the refresh lock, or stop waiting for it.
        case unlock
        /// Request the successor of a token pair from the server.
        case ask(SessionHandle)
        /// Write a refreshed or amended session, if the record still has the generation `basedOn`.
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
        /// The caller has access with this session.
        case access(SessionHandle)
        /// No user is logged in.
        case signedOut
        /// Another login has replaced the one that the caller asked for, or a sign-out came after its login
        /// began.
        case superseded
        /// The store could not be read; the session may still be valid.
        case unavailable(SessionStoreError.Code)
        /// The server could not be reached or gave no verdict; the session remains.
        case failed
    }
}
