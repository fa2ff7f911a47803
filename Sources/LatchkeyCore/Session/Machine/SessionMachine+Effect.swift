/// The operations that ``SessionMachine`` asks its driver to perform, and the outcomes for callers.
extension SessionMachine {
    /// An operation that the driver performs.
    ///
    /// The driver only performs writes and removals if the machine's epoch or sign-out count hasn't changed
    /// since they were requested.
    package enum Effect: Hashable, Sendable {
        /// Read the store.
        ///
        /// Each read that is part of a refresh has its own number. The proof for the refresh request is dated
        /// before the read, which allows the server to distinguish a late request from the use of a
        /// stolen token.
        case read(epoch: UInt32, refreshRead: UInt32?)
        /// Wait for the refresh lock until a timeout expires.
        case lock
        /// Release the refresh lock, or stop waiting for it.
        case unlock
        /// Ask the server to exchange the current token pair for a new one.
        case ask(SessionHandle)
        /// Write a refreshed or modified session, if the record still has the generation `basedOn`.
        case save(SessionHandle, basedOn: UInt64, epoch: UInt32)
        /// Replace the current record with a new login.
        case replace(Caller, SessionHandle, signOuts: UInt32)
        /// Remove a record from the store.
        case remove(Removal, epoch: UInt32)
        /// Respond to a caller.
        case answer(Caller, Outcome)
        /// Tell all observers about the new state.
        case announce(Status)
    }

    /// The result that a caller receives.
    package enum Outcome: Hashable, Sendable {
        /// The caller may use this session.
        case access(SessionHandle)
        /// No user is logged in.
        case signedOut
        /// The login that the caller asked about was replaced by another one, or the user signed out after
        /// the caller's login attempt began.
        case superseded
        /// The store could not be read. The session may still be valid.
        case unavailable(SessionStoreError.Code)
        /// The server could not be reached, or its response was inconclusive. The session remains active.
        case failed
    }
}
