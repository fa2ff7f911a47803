/// The rules for refreshing a session's credentials.
extension SessionMachine {
    /// Begins a refresh by waiting for the lock, unless a refresh is already running.
    mutating func startRefreshing() -> [Effect] {
        guard refresh == .idle else { return [] }
        refresh = .locking
        return [.lock]
    }

    /// Continues the refresh when the lock has been acquired or the wait for it has timed out.
    ///
    /// It is safe to continue without the lock, because the server tolerates a token that is presented twice.
    mutating func lockWaitEnded() -> [Effect] {
        guard refresh == .locking else { return refresh == .idle ? [.unlock] : [] }
        return readForRefresh()
    }

    /// Reads the store, because another process may have refreshed the session in the meantime.
    private mutating func readForRefresh() -> [Effect] {
        refreshReads += 1
        refresh = .reading
        return [.read(epoch: epoch, refreshRead: refreshReads)]
    }

    /// Continues the refresh with the session that was read from the store.
    ///
    /// We only send tokens that have been stored. If we sent a token that exists only in memory, a revoked
    /// token would be left in the store.
    mutating func refresh(from handle: SessionHandle) -> [Effect] {
        let answers = isUnsaved ? [] : answerCallersServed(by: handle)
        guard !waiters.isEmpty else { return answers + stopRefreshing(answering: .failed) }
        refresh = .asking(handle, basedOn: generation)
        return answers + [.ask(handle)]
    }

    /// Processes the server's response to a refresh.
    ///
    /// A response to an earlier request is ignored.
    mutating func apply(_ answer: Answer, to handle: SessionHandle) -> [Effect] {
        guard case .asking(let asked, let generation) = refresh, asked == handle else { return [] }
        switch answer {
        case .granted(let successor):
            guard successor.login == handle.login, generation == self.generation else {
                // The record was changed in the meantime, so it is newer than this response.
                return readForRefresh()
            }
            refresh = .saving(successor)
            return [.save(successor, basedOn: generation, epoch: epoch)]
        case .stale:
            return readForRefresh()
        case .refused:
            guard generation == self.generation else {
                return readForRefresh()
            }
            return end()
        case .failed:
            return stopRefreshing(answering: .failed)
        }
    }

    /// Handles a session that was written, and completes the refresh if it was part of one.
    mutating func saved(_ handle: SessionHandle, generation: UInt64) -> [Effect] {
        guard held?.login == handle.login else { return [] }
        let announcements: [Effect] = status == .present(handle) ? [] : [.announce(.present(handle))]
        (status, self.generation, isUnsaved) = (.present(handle), generation, false)
        // A refresh may still be in progress if only other data was written.
        guard refresh == .saving(handle) else { return announcements }
        refresh = .idle
        return announcements + [.unlock] + serve(handle)
    }

    /// Handles a failed write.
    ///
    /// After a conflict, the store is read again. After any other failure, the session is used without being
    /// saved.
    mutating func saveFailed(_ handle: SessionHandle, code: SessionStoreError.Code) -> [Effect] {
        guard refresh == .saving(handle) else {
            return code == .conflict && held?.login == handle.login
                ? [.read(epoch: epoch, refreshRead: nil)] : []
        }
        if code == .conflict {
            return readForRefresh()
        }
        let announcements: [Effect] = status == .present(handle) ? [] : [.announce(.present(handle))]
        // We can use the access token, but we don't use the refresh token until it has been written.
        (status, isUnsaved, refresh) = (.present(handle), true, .idle)
        return announcements + [.unlock] + serve(handle)
    }

    /// Stops a refresh, releases the lock, and responds to all waiting callers with the same outcome.
    mutating func stopRefreshing(answering outcome: Outcome) -> [Effect] {
        let wasRefreshing = refresh != .idle
        refresh = .idle
        return (wasRefreshing ? [.unlock] : []) + answerAll(outcome)
    }
}
