/// The part of the state machine that refreshes a session's credentials.
extension SessionMachine {
    /// Begins a refresh by waiting for the lock, unless a refresh is already running.
    mutating func startRefreshing() -> [Effect] {
        guard refresh == .idle else { return [] }
        refresh = .locking
        return [.lock]
    }

    /// Continues the refresh once the lock is held or the bounded wait has timed out.
    ///
    /// Continuing without the lock is safe, because the server tolerates a token that is presented twice.
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

    /// Continues with the session in the store; only a stored token may be sent to the server.
    ///
    /// Using a token that exists only in memory would leave a revoked token in the store.
    mutating func refresh(from handle: SessionHandle) -> [Effect] {
        let answers = isUnsaved ? [] : answerCallersServed(by: handle)
        guard !waiters.isEmpty else { return answers + stopRefreshing(answering: .failed) }
        refresh = .asking(handle, basedOn: generation)
        return answers + [.ask(handle)]
    }

    /// Applies the server's answer to a refresh; an answer to an earlier request is ignored.
    mutating func apply(_ answer: Answer, to handle: SessionHandle) -> [Effect] {
        guard case .asking(let asked, let generation) = refresh, asked == handle else { return [] }
        switch answer {
        case .granted(let successor):
            guard successor.login == handle.login, generation == self.generation else {
                // The record has changed in the meantime and is more recent.
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

    /// Handles a session that was written, and completes the refresh that it belongs to.
    mutating func saved(_ handle: SessionHandle, generation: UInt64) -> [Effect] {
        guard held?.login == handle.login else { return [] }
        let announcements: [Effect] = status == .present(handle) ? [] : [.announce(.present(handle))]
        (status, self.generation, isUnsaved) = (.present(handle), generation, false)
        // Writing an amendment does not complete a refresh that is still in progress.
        guard refresh == .saving(handle) else { return announcements }
        refresh = .idle
        return announcements + [.unlock] + serve(handle)
    }

    /// Handles a failed write: reads the store again after a conflict, otherwise uses the session unsaved.
    mutating func saveFailed(_ handle: SessionHandle, code: SessionStoreError.Code) -> [Effect] {
        guard refresh == .saving(handle) else {
            return code == .conflict && held?.login == handle.login
                ? [.read(epoch: epoch, refreshRead: nil)] : []
        }
        if code == .conflict {
            return readForRefresh()
        }
        let announcements: [Effect] = status == .present(handle) ? [] : [.announce(.present(handle))]
        // The access token is usable, but the refresh token is not used until it has been written.
        (status, isUnsaved, refresh) = (.present(handle), true, .idle)
        return announcements + [.unlock] + serve(handle)
    }

    /// Ends a refresh, releases the lock, and answers all waiting callers with the same outcome.
    mutating func stopRefreshing(answering outcome: Outcome) -> [Effect] {
        let wasRefreshing = refresh != .idle
        refresh = .idle
        return (wasRefreshing ? [.unlock] : []) + answerAll(outcome)
    }
}
