extension SessionMachine {
    mutating func startRefreshing() -> [Effect] {
        guard refresh == .idle else { return [] }
        refresh = .locking
        return [.lock]
    }

    /// Goes on with the lock, or without it after a bounded wait: what the server does about a token that is shown
    /// twice makes that safe.
    mutating func proceed() -> [Effect] {
        guard refresh == .locking else { return refresh == .idle ? [.unlock] : [] }
        return look()
    }

    /// Looks for what another process has done meanwhile.
    private mutating func look() -> [Effect] {
        looks += 1
        refresh = .reading
        return [.read(epoch: epoch, look: looks)]
    }

    /// Goes on with what the store holds, which alone is shown to the server: what is in memory only would, once used,
    /// leave a dead token in the store.
    mutating func refresh(from handle: SessionHandle) -> [Effect] {
        let answers = isUnsaved ? [] : answerThoseServed(by: handle)
        guard !waiters.isEmpty else { return answers + stopRefreshing(telling: .failed) }
        refresh = .asking(handle, basedOn: generation)
        return answers + [.ask(handle)]
    }

    mutating func take(_ answer: Answer, to handle: SessionHandle) -> [Effect] {
        guard case .asking(let asked, let generation) = refresh, asked == handle else { return [] }
        switch answer {
        case .granted(let successor):
            guard successor.login == handle.login, generation == self.generation else {
                // The record has moved on since; it knows better.
                return look()
            }
            refresh = .saving(successor)
            return [.save(successor, basedOn: generation, epoch: epoch)]
        case .stale:
            return look()
        case .refused:
            guard generation == self.generation else {
                return look()
            }
            return end()
        case .failed:
            return stopRefreshing(telling: .failed)
        }
    }

    mutating func saved(_ handle: SessionHandle, _ generation: UInt64) -> [Effect] {
        guard held?.login == handle.login else { return [] }
        let news: [Effect] = truth == .present(handle) ? [] : [.announce(.present(handle))]
        (truth, self.generation, isUnsaved) = (.present(handle), generation, false)
        // What a refresh waits for is an answer of the server, not an amendment.
        guard refresh == .saving(handle) else { return news }
        refresh = .idle
        return news + [.unlock] + serve(handle)
    }

    mutating func notSaved(_ handle: SessionHandle, _ code: SessionStoreError.Code) -> [Effect] {
        guard refresh == .saving(handle) else {
            return code == .conflict && held?.login == handle.login ? [.read(epoch: epoch, look: nil)] : []
        }
        if code == .conflict {
            return look()
        }
        let news: [Effect] = truth == .present(handle) ? [] : [.announce(.present(handle))]
        // Its access is good; its refresh token is not used before it is written.
        (truth, isUnsaved, refresh) = (.present(handle), true, .idle)
        return news + [.unlock] + serve(handle)
    }

    /// Ends a refresh, and with it everybody's wait.
    mutating func stopRefreshing(telling outcome: Outcome) -> [Effect] {
        let wasRefreshing = refresh != .idle
        refresh = .idle
        return (wasRefreshing ? [.unlock] : []) + answerAll(outcome)
    }
}
