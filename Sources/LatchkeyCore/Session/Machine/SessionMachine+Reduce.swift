/// The transitions for changes to the record, and for callers, logins and sign-outs.
extension SessionMachine {
    /// Processes an event.
    ///
    /// - Parameter event: The event. Results of effects that were requested in an earlier epoch are ignored.
    /// - Returns: The effects, which the driver must perform in the given order.
    package mutating func reduce(_ event: Event) -> [Effect] {
        switch event {
        case .started: [.read(epoch: epoch, refreshRead: nil)]
        case .changed: readAgain()
        case .read(let reading, let epoch, let refreshRead):
            epoch == self.epoch
                ? apply(reading, isForRefresh: refresh == .reading && refreshRead == refreshReads) : []
        case .asked(let caller, let need): requestAccess(for: caller, need: need)
        case .cancelled(let caller): cancel(caller)
        case .locked: lockWaitEnded()
        case .answered(let answer, let handle): apply(answer, to: handle)
        case .amended(let old, let new): amend(old, to: new)
        case .saved(let handle, let generation, let epoch):
            epoch == self.epoch ? saved(handle, generation: generation) : []
        case .saveFailed(let handle, let code, let epoch):
            epoch == self.epoch ? saveFailed(handle, code: code) : []
        case .loginSucceeded(let caller, let handle, let signOuts):
            acceptLogin(handle, for: caller, signOuts: signOuts)
        case .replaced(let caller, let handle, let generation, let signOuts):
            signOuts == self.signOuts
                ? replaced(with: handle, for: caller, generation: generation) : [.answer(caller, .superseded)]
        case .replaceFailed(let caller, let code, let signOuts):
            replaceFailed(code, for: caller, signOuts: signOuts)
        case .signedOut: signOut()
        case .ended(let handle): held?.login == handle.login ? end() : []
        case .removed(let epoch): removed(epoch)
        case .removalFailed(let epoch): removalFailed(epoch)
        }
    }

    // MARK: The record

    /// Reads the record again.
    ///
    /// If a removal is pending, the record is removed first.
    private mutating func readAgain() -> [Effect] {
        guard let pendingRemoval, replacing == 0 else { return [.read(epoch: epoch, refreshRead: nil)] }
        guard !isRemoving else { return [] }
        isRemoving = true
        return [.remove(pendingRemoval, epoch: epoch)]
    }

    /// Processes the result of reading the store.
    private mutating func apply(_ reading: Reading, isForRefresh: Bool) -> [Effect] {
        // While a removal is pending, we act as if there were no record.
        guard pendingRemoval == nil else { return [] }
        switch reading {
        case .unavailable(let code): return readFailed(code, isForRefresh: isForRefresh)
        case .absent: return adopt(.absent, generation: 0, isForRefresh: isForRefresh)
        case .present(let handle, let generation):
            guard handle.isComplete else {
                return adopt(.absent, generation: generation, isForRefresh: isForRefresh)
            }
            // If a newer credential could not be written, we must not go back to the old record.
            if isUnsaved, generation == self.generation, held?.login == handle.login {
                return isForRefresh ? refresh(from: handle) : []
            }
            return adopt(.present(handle), generation: generation, isForRefresh: isForRefresh)
        }
    }

    /// Handles a failed read.
    ///
    /// A failed read stops a refresh, but doesn't change a state that is already known.
    private mutating func readFailed(_ code: SessionStoreError.Code, isForRefresh: Bool) -> [Effect] {
        if isForRefresh {
            // We must not send the token pair from memory, because another process may already have replaced
            // it and used the new one.
            return stopRefreshing(answering: .unavailable(code))
        }
        switch status {
        case .absent, .present:
            return []
        case .unread, .unavailable:
            let isNew = status != .unavailable(code)
            status = .unavailable(code)
            return (isNew ? [.announce(status)] : []) + answerAll(.unavailable(code))
        }
    }

    /// Adopts the status that was read from the store.
    private mutating func adopt(_ found: Status, generation: UInt64, isForRefresh: Bool) -> [Effect] {
        let former = held
        let announcements: [Effect] = status == found ? [] : [.announce(found)]
        (status, self.generation, isUnsaved) = (found, generation, false)
        guard case .present(let handle) = found else {
            return announcements + stopRefreshing(answering: .signedOut)
        }
        guard former?.login == handle.login else { return announcements + switchLogin(to: handle) }
        return announcements + (isForRefresh ? refresh(from: handle) : serve(handle))
    }

    /// Stops refreshing the previous login, and passes the new login to the waiting callers.
    private mutating func switchLogin(to handle: SessionHandle) -> [Effect] {
        let wasRefreshing = refresh != .idle
        refresh = .idle
        return (wasRefreshing ? [.unlock] : []) + serve(handle)
    }

    /// Requests that a modified session be written, unless the session has changed in the meantime.
    private func amend(_ old: SessionHandle, to new: SessionHandle) -> [Effect] {
        guard held == old, new.login == old.login, new.version == old.version else { return [] }
        return [.save(new, basedOn: generation, epoch: epoch)]
    }

    // MARK: Callers

    /// Responds to a caller right away, or makes the caller wait until the store is read or a refresh has
    /// finished.
    private mutating func requestAccess(for caller: Caller, need: Need) -> [Effect] {
        switch status {
        case .absent:
            return [.answer(caller, .signedOut)] + (pendingRemoval == nil ? [] : readAgain())
        case .unread:
            waiters.append(Waiter(caller: caller, need: need))
            return []
        case .unavailable:
            waiters.append(Waiter(caller: caller, need: need))
            return [.read(epoch: epoch, refreshRead: nil)]
        case .present(let handle):
            if let outcome = outcome(of: need, with: handle) { return [.answer(caller, outcome)] }
            waiters.append(Waiter(caller: caller, need: need))
            return startRefreshing()
        }
    }

    /// Removes a caller that stopped waiting.
    private mutating func cancel(_ caller: Caller) -> [Effect] {
        // We finish a refresh even if no callers are left, because the new tokens need to be stored.
        waiters.removeAll { $0.caller == caller }
        return []
    }

    /// Returns the session if a caller can receive it immediately, or `nil` if the caller has to wait.
    ///
    /// This doesn't change the state. If the caller has to wait, the driver sends the `asked` event next.
    package func serving(_ need: Need) -> SessionHandle? {
        guard let held, case .access(let handle) = outcome(of: need, with: held) else { return nil }
        return handle
    }

    /// Returns the outcome for a caller with the given session, or `nil` if the session must be refreshed
    /// first.
    private func outcome(of need: Need, with handle: SessionHandle) -> Outcome? {
        guard case .fresher(let known) = need else { return .access(handle) }
        if known.login != handle.login { return .superseded }
        return known.version != handle.version || !handle.isPair ? .access(handle) : nil
    }

    /// Responds to all callers that can use the given session, and starts a refresh for the others.
    mutating func serve(_ handle: SessionHandle) -> [Effect] {
        let answers = answerCallersServed(by: handle)
        return answers + (waiters.isEmpty ? [] : startRefreshing())
    }

    /// Responds to the callers that can use the given session.
    ///
    /// All other callers keep waiting.
    mutating func answerCallersServed(by handle: SessionHandle) -> [Effect] {
        let answers = waiters.compactMap { waiter in
            outcome(of: waiter.need, with: handle).map { Effect.answer(waiter.caller, $0) }
        }
        waiters = waiters.filter { outcome(of: $0.need, with: handle) == nil }
        return answers
    }

    /// Passes an outcome to all waiting callers.
    mutating func answerAll(_ outcome: Outcome) -> [Effect] {
        defer { waiters = [] }
        return waiters.map { .answer($0.caller, outcome) }
    }

    // MARK: Logins and sign-outs

    /// Returns an effect that writes a new login, unless the user has signed out since the attempt began.
    private mutating func acceptLogin(
        _ handle: SessionHandle,
        for caller: Caller,
        signOuts: UInt32
    ) -> [Effect] {
        guard signOuts == self.signOuts, handle.isComplete else { return [.answer(caller, .superseded)] }
        replacing += 1
        return [.replace(caller, handle, signOuts: signOuts)]
    }

    /// Handles a login that could not be written, and resumes any removal that was waiting for that write.
    private mutating func replaceFailed(
        _ code: SessionStoreError.Code,
        for caller: Caller,
        signOuts: UInt32
    ) -> [Effect] {
        guard signOuts == self.signOuts else { return [.answer(caller, .superseded)] }
        replacing -= 1
        return [.answer(caller, .unavailable(code))] + (pendingRemoval == nil ? [] : readAgain())
    }

    /// Handles a login that was written.
    ///
    /// A pending removal is cancelled.
    private mutating func replaced(
        with handle: SessionHandle,
        for caller: Caller,
        generation: UInt64
    ) -> [Effect] {
        (status, self.generation, isUnsaved, pendingRemoval) = (.present(handle), generation, false, nil)
        replacing -= 1
        return [.announce(status), .answer(caller, .access(handle))] + switchLogin(to: handle)
    }

    /// Ends the current session, and stops logins that began before the sign-out.
    private mutating func signOut() -> [Effect] {
        signOuts += 1
        replacing = 0
        // We first try to remove whatever record there is, because another process may have logged in since
        // the store was read. If that fails, later attempts only remove the record of the current login, if
        // there is one.
        return endSession(
            pending: held.map { .login($0.login) } ?? pendingRemoval ?? .anything,
            removing: .anything
        )
    }

    /// Ends the session because the server said that it has ended.
    ///
    /// The record of a different login isn't removed.
    mutating func end() -> [Effect] {
        let removal = held.map { Removal.login($0.login) } ?? .anything
        return endSession(pending: removal, removing: removal)
    }

    /// Ends the session and begins a new epoch.
    ///
    /// - Parameters:
    ///   - pending: The removal that is attempted again until it succeeds.
    ///   - removing: The removal to attempt now.
    /// - Returns: The effects, including the responses to all waiting callers.
    private mutating func endSession(pending: Removal, removing: Removal) -> [Effect] {
        let announcements: [Effect] = status == .absent ? [] : [.announce(.absent)]
        epoch += 1
        (status, isUnsaved, pendingRemoval, isRemoving) = (.absent, false, pending, true)
        return announcements + stopRefreshing(answering: .signedOut) + [.remove(removing, epoch: epoch)]
    }

    /// Updates the state after a removal has succeeded.
    private mutating func removed(_ epoch: UInt32) -> [Effect] {
        guard epoch == self.epoch else { return [] }
        isRemoving = false
        guard pendingRemoval != nil else { return [] }
        (pendingRemoval, generation) = (nil, 0)
        // We read the store again, because the results of reads were ignored while the removal was pending.
        return [.read(epoch: self.epoch, refreshRead: nil)]
    }

    /// Handles a removal that failed.
    ///
    /// The removal stays pending and is repeated with the next read.
    private mutating func removalFailed(_ epoch: UInt32) -> [Effect] {
        if epoch == self.epoch { isRemoving = false }
        return []
    }
}
