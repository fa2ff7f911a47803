/// The reducer of the state machine, and its rules about the record, callers, logins and sign-outs.
extension SessionMachine {
    /// Applies an event.
    ///
    /// - Parameter event: The event; results of effects from an earlier epoch do not change the state.
    /// - Returns: The effects to perform, in this order.
    package mutating func reduce(_ event: Event) -> [Effect] {
        switch event {
        case .started: [.read(epoch: epoch, look: nil)]
        case .changed: lookAgain()
        case .read(let reading, let epoch, let look):
            epoch == self.epoch ? take(reading, isForRefresh: refresh == .reading && look == looks) : []
        case .asked(let caller, let need): ask(caller, need)
        case .left(let caller): leave(caller)
        case .locked: proceed()
        case .answered(let answer, let handle): take(answer, to: handle)
        case .amended(let old, let new): amend(old, new)
        case .saved(let handle, let generation, let epoch):
            epoch == self.epoch ? saved(handle, generation) : []
        case .notSaved(let handle, let code, let epoch): epoch == self.epoch ? notSaved(handle, code) : []
        case .admitted(let caller, let handle, let signOuts): admit(caller, handle, signOuts)
        case .replaced(let caller, let handle, let generation, let signOuts):
            signOuts == self.signOuts
                ? replaced(caller, handle, generation) : [.answer(caller, .overtaken)]
        case .notReplaced(let caller, let code, let signOuts): notReplaced(caller, code, signOuts)
        case .signedOut: signOut()
        case .ended(let handle): held?.login == handle.login ? end() : []
        case .removed(let epoch): removed(epoch)
        case .notRemoved(let epoch): notRemoved(epoch)
        }
    }

    // MARK: The record

    /// Reads the record again, or first removes a record whose removal is pending.
    private mutating func lookAgain() -> [Effect] {
        guard let owed, replacing == 0 else { return [.read(epoch: epoch, look: nil)] }
        guard !isRemoving else { return [] }
        isRemoving = true
        return [.remove(owed, epoch: epoch)]
    }

    /// Applies a reading of the store.
    private mutating func take(_ reading: Reading, isForRefresh: Bool) -> [Effect] {
        // While a removal is pending, the record counts as absent.
        guard owed == nil else { return [] }
        switch reading {
        case .unavailable(let code): return cannotTell(code, isForRefresh)
        case .absent: return adopt(.absent, generation: 0, isForRefresh)
        case .present(let handle, let generation):
            guard handle.isComplete else { return adopt(.absent, generation: generation, isForRefresh) }
            // A fresher credential that could not be written is not replaced by the old record.
            if isUnsaved, generation == self.generation, held?.login == handle.login {
                return isForRefresh ? refresh(from: handle) : []
            }
            return adopt(.present(handle), generation: generation, isForRefresh)
        }
    }

    /// Applies a failed read, which ends a refresh but does not change a known state.
    private mutating func cannotTell(_ code: SessionStoreError.Code, _ isForRefresh: Bool) -> [Effect] {
        if isForRefresh {
            // Another process may have used the successor of the pair in memory, which then must not be sent.
            return stopRefreshing(telling: .unavailable(code))
        }
        switch truth {
        case .absent, .present:
            return []
        case .unread, .unavailable:
            let isNew = truth != .unavailable(code)
            truth = .unavailable(code)
            return (isNew ? [.announce(truth)] : []) + answerAll(.unavailable(code))
        }
    }

    /// Sets the state to the one that was found in the store.
    private mutating func adopt(_ found: Truth, generation: UInt64, _ isForRefresh: Bool) -> [Effect] {
        let former = held
        let news: [Effect] = truth == found ? [] : [.announce(found)]
        (truth, self.generation, isUnsaved) = (found, generation, false)
        guard case .present(let handle) = found else {
            return news + stopRefreshing(telling: .signedOut)
        }
        guard former?.login == handle.login else { return news + changeOver(to: handle) }
        return news + (isForRefresh ? refresh(from: handle) : serve(handle))
    }

    /// Ends the refresh of the previous login, and serves the callers of the new one.
    private mutating func changeOver(to handle: SessionHandle) -> [Effect] {
        let wasRefreshing = refresh != .idle
        refresh = .idle
        return (wasRefreshing ? [.unlock] : []) + serve(handle)
    }

    /// Requests the write of an amended session, unless the session has changed in the meantime.
    private func amend(_ old: SessionHandle, _ new: SessionHandle) -> [Effect] {
        guard held == old, new.login == old.login, new.version == old.version else { return [] }
        return [.save(new, basedOn: generation, epoch: epoch)]
    }

    // MARK: Callers

    /// Answers a caller, or lets it wait for the store or a refresh.
    private mutating func ask(_ caller: Caller, _ need: Need) -> [Effect] {
        switch truth {
        case .absent:
            return [.answer(caller, .signedOut)] + (owed == nil ? [] : lookAgain())
        case .unread:
            waiters.append(Waiter(caller: caller, need: need))
            return []
        case .unavailable:
            waiters.append(Waiter(caller: caller, need: need))
            return [.read(epoch: epoch, look: nil)]
        case .present(let handle):
            if let outcome = outcome(of: need, with: handle) { return [.answer(caller, outcome)] }
            waiters.append(Waiter(caller: caller, need: need))
            return startRefreshing()
        }
    }

    /// Removes a caller that stopped waiting.
    private mutating func leave(_ caller: Caller) -> [Effect] {
        // A refresh without waiting callers is completed all the same: its answer is worth storing.
        waiters.removeAll { $0.caller == caller }
        return []
    }

    /// Returns the session that satisfies a need at once, or `nil` if the caller has to wait.
    package func serving(_ need: Need) -> SessionHandle? {
        guard let held, case .access(let handle) = outcome(of: need, with: held) else { return nil }
        return handle
    }

    /// Returns the outcome for a caller when this is the session, or `nil` if it must be refreshed first.
    private func outcome(of need: Need, with handle: SessionHandle) -> Outcome? {
        guard case .fresher(let known) = need else { return .access(handle) }
        if known.login != handle.login { return .overtaken }
        return known.version != handle.version || !handle.isPair ? .access(handle) : nil
    }

    /// Answers all callers that a session satisfies, and starts a refresh for the others.
    mutating func serve(_ handle: SessionHandle) -> [Effect] {
        let answers = answerThoseServed(by: handle)
        return answers + (waiters.isEmpty ? [] : startRefreshing())
    }

    /// Answers the callers that a session satisfies; the others continue to wait.
    mutating func answerThoseServed(by handle: SessionHandle) -> [Effect] {
        let answers = waiters.compactMap { waiter in
            outcome(of: waiter.need, with: handle).map { Effect.answer(waiter.caller, $0) }
        }
        waiters = waiters.filter { outcome(of: $0.need, with: handle) == nil }
        return answers
    }

    /// Answers all waiting callers with the same outcome.
    mutating func answerAll(_ outcome: Outcome) -> [Effect] {
        defer { waiters = [] }
        return waiters.map { .answer($0.caller, outcome) }
    }

    // MARK: Logins and sign-outs

    /// Accepts a new login to be written, unless a sign-out came after the beginning of its attempt.
    private mutating func admit(
        _ caller: Caller,
        _ handle: SessionHandle,
        _ signOuts: UInt32
    ) -> [Effect] {
        guard signOuts == self.signOuts, handle.isComplete else { return [.answer(caller, .overtaken)] }
        replacing += 1
        return [.replace(caller, handle, signOuts: signOuts)]
    }

    /// Applies a failed write of a login, and resumes a pending removal that had waited for it.
    private mutating func notReplaced(
        _ caller: Caller,
        _ code: SessionStoreError.Code,
        _ signOuts: UInt32
    ) -> [Effect] {
        guard signOuts == self.signOuts else { return [.answer(caller, .overtaken)] }
        replacing -= 1
        return [.answer(caller, .unavailable(code))] + (owed == nil ? [] : lookAgain())
    }

    /// Applies a written login, which also cancels a pending removal.
    private mutating func replaced(
        _ caller: Caller,
        _ handle: SessionHandle,
        _ generation: UInt64
    ) -> [Effect] {
        (truth, self.generation, isUnsaved, owed) = (.present(handle), generation, false, nil)
        replacing -= 1
        return [.announce(truth), .answer(caller, .access(handle))] + changeOver(to: handle)
    }

    /// Ends any session, and stops logins that began before.
    private mutating func signOut() -> [Effect] {
        signOuts += 1
        replacing = 0
        // Removes any record, because another process may have logged in since the store was read. If that
        // fails, later attempts remove only the login that was known, if there was one.
        return leave(owing: held.map { .login($0.login) } ?? owed ?? .anything, removing: .anything)
    }

    /// Ends the session on the server's response; the record of another login is not removed.
    mutating func end() -> [Effect] {
        let removal = held.map { Removal.login($0.login) } ?? .anything
        return leave(owing: removal, removing: removal)
    }

    /// Ends the session and begins a new epoch.
    ///
    /// - Parameters:
    ///   - owing: The removal that stays pending until it succeeds.
    ///   - removing: The removal to begin with.
    /// - Returns: The effects, with the answers to all waiting callers.
    private mutating func leave(owing: Removal, removing: Removal) -> [Effect] {
        let news: [Effect] = truth == .absent ? [] : [.announce(.absent)]
        epoch += 1
        (truth, isUnsaved, owed, isRemoving) = (.absent, false, owing, true)
        return news + stopRefreshing(telling: .signedOut) + [.remove(removing, epoch: epoch)]
    }

    /// Applies a completed removal.
    private mutating func removed(_ epoch: UInt32) -> [Effect] {
        guard epoch == self.epoch else { return [] }
        isRemoving = false
        guard owed != nil else { return [] }
        (owed, generation) = (nil, 0)
        // The record was not read while the removal was pending.
        return [.read(epoch: self.epoch, look: nil)]
    }

    /// Applies a failed removal, which stays pending until the next read.
    private mutating func notRemoved(_ epoch: UInt32) -> [Effect] {
        if epoch == self.epoch { isRemoving = false }
        return []
    }
}
