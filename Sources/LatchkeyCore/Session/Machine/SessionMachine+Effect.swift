extension SessionMachine {
    /// What is to be done.
    ///
    /// Writing and removing are done only while the epoch, or the count of sign-outs, is still the machine's.
    package enum Effect: Hashable, Sendable {
        /// Read the store. When a refresh does, with a number, the proof of the question that may follow is dated before it was
        /// read: so the server can tell a question that comes too late from a token that was stolen.
        case read(epoch: UInt32, look: UInt32?)
        /// Wait for the lock on refreshes, for a bounded time.
        case lock
        /// Give the lock back, or no longer wait for it.
        case unlock
        /// Ask the server for the successor of a pair.
        case ask(SessionHandle)
        /// Write a refreshed or amended session, if the record is of that generation.
        case save(SessionHandle, basedOn: UInt64, epoch: UInt32)
        /// Write a login in place of whatever there is.
        case replace(Caller, SessionHandle, signOuts: UInt32)
        /// Remove from the store.
        case remove(Removal, epoch: UInt32)
        /// Answer a caller.
        case answer(Caller, Outcome)
        /// Tell everybody what is true now.
        case announce(Truth)
    }

    /// What a caller is told.
    package enum Outcome: Hashable, Sendable {
        /// Here is access.
        case access(SessionHandle)
        /// Nobody is logged in.
        case signedOut
        /// Another login has taken the place of the one that the caller asked for.
        case overtaken
        /// The store cannot tell; the session may well hold.
        case unavailable(SessionStoreError.Code)
        /// The server could not be asked; the session holds.
        case failed
    }
}
