extension SessionMachine {
    /// Takes in an event.
    ///
    /// - Parameter event: What happened.
    /// - Returns: What is to be done, in this order.
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

    /// Reads again what another process may have changed, or removes first what is owed.
    private mutating func lookAgain() -> [Effect] {
        guard let owed, replacing == 0 else { return [.read(epoch: epoch, look: nil)] }
        guard !isRemoving else { return [] }
        isRemoving = true
        return [.remove(owed, epoch: epoch)]
    }

    private mutating func take(_ reading: Reading, isForRefresh: Bool) -> [Effect] {
        // What is owed to be removed is not there for anybody.
        guard owed == nil else { return [] }
        switch reading {
        case .unavailable(let code): return cannotTell(code, isForRefresh)
        case .absent: return adopt(.absent, generation: 0, isForRefresh)
        case .present(let handle, let generation):
            guard handle.isComplete else { return adopt(.absent, generation: generation, isForRefresh) }
            // Fresher access that could not be written is not given up for the same old record.
            if isUnsaved, generation == self.generation, held?.login == handle.login {
                return isForRefresh ? refresh(from: handle) : []
            }
            return adopt(.present(handle), generation: generation, isForRefresh)
        }
    }

    private mutating func cannotTell(_ code: SessionStoreError.Code, _ isForRefresh: Bool) -> [Effect] {
        if isForRefresh {
            // Another process may have used the successor of what is in memory, which must then not be shown.
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

    /// Takes what the store says for the truth.
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

    /// Answers those who waited for another login, and those whom this one serves.
    private mutating func changeOver(to handle: SessionHandle) -> [Effect] {
        let wasRefreshing = refresh != .idle
        refresh = .idle
        return (wasRefreshing ? [.unlock] : []) + serve(handle)
    }

    /// Has a change of what is held written, unless it is a change of something else by now.
    private func amend(_ old: SessionHandle, _ new: SessionHandle) -> [Effect] {
        guard held == old, new.login == old.login, new.version == old.version else { return [] }
        return [.save(new, basedOn: generation, epoch: epoch)]
    }

    // MARK: Callers

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

    private mutating func leave(_ caller: Caller) -> [Effect] {
        // A refresh that nobody waits for any more is finished all the same: its answer is worth keeping.
        waiters.removeAll { $0.caller == caller }
        return []
    }

    /// The session that serves a caller at once, as asking would answer; nothing when it takes more than that.
    package func serving(_ need: Need) -> SessionHandle? {
        guard let held, case .access(let handle) = outcome(of: need, with: held) else { return nil }
        return handle
    }

    /// What a caller is told who finds this session; nothing when it has to be refreshed for it.
    private func outcome(of need: Need, with handle: SessionHandle) -> Outcome? {
        guard case .fresher(let known) = need else { return .access(handle) }
        if known.login != handle.login { return .overtaken }
        return known.version != handle.version || !handle.isPair ? .access(handle) : nil
    }

    /// Answers all callers whom a session serves, and has it refreshed for the rest.
    mutating func serve(_ handle: SessionHandle) -> [Effect] {
        let answers = answerThoseServed(by: handle)
        return answers + (waiters.isEmpty ? [] : startRefreshing())
    }

    mutating func answerThoseServed(by handle: SessionHandle) -> [Effect] {
        let answers = waiters.compactMap { waiter in
            outcome(of: waiter.need, with: handle).map { Effect.answer(waiter.caller, $0) }
        }
        waiters = waiters.filter { outcome(of: $0.need, with: handle) == nil }
        return answers
    }

    mutating func answerAll(_ outcome: Outcome) -> [Effect] {
        defer { waiters = [] }
        return waiters.map { .answer($0.caller, outcome) }
    }

    // MARK: Beginnings and ends

    private mutating func admit(
        _ caller: Caller,
        _ handle: SessionHandle,
        _ signOuts: UInt32
    ) -> [Effect] {
        guard signOuts == self.signOuts, handle.isComplete else { return [.answer(caller, .overtaken)] }
        replacing += 1
        return [.replace(caller, handle, signOuts: signOuts)]
    }

    private mutating func notReplaced(
        _ caller: Caller,
        _ code: SessionStoreError.Code,
        _ signOuts: UInt32
    ) -> [Effect] {
        guard signOuts == self.signOuts else { return [.answer(caller, .overtaken)] }
        replacing -= 1
        return [.answer(caller, .unavailable(code))] + (owed == nil ? [] : lookAgain())
    }

    private mutating func replaced(
        _ caller: Caller,
        _ handle: SessionHandle,
        _ generation: UInt64
    ) -> [Effect] {
        (truth, self.generation, isUnsaved, owed) = (.present(handle), generation, false, nil)
        replacing -= 1
        return [.announce(truth), .answer(caller, .access(handle))] + changeOver(to: handle)
    }

    private mutating func signOut() -> [Effect] {
        signOuts += 1
        replacing = 0
        // At once whatever there is, for somebody may have logged in since the store was read; if that fails, later
        // only what was known.
        return leave(owing: held.map { .login($0.login) } ?? owed ?? .anything, removing: .anything)
    }

    /// Ends the session because the server said so; the record of another login stays.
    mutating func end() -> [Effect] {
        let removal = held.map { Removal.login($0.login) } ?? .anything
        return leave(owing: removal, removing: removal)
    }

    private mutating func leave(owing: Removal, removing: Removal) -> [Effect] {
        let news: [Effect] = truth == .absent ? [] : [.announce(.absent)]
        epoch += 1
        (truth, isUnsaved, owed, isRemoving) = (.absent, false, owing, true)
        return news + stopRefreshing(telling: .signedOut) + [.remove(removing, epoch: epoch)]
    }

    private mutating func removed(_ epoch: UInt32) -> [Effect] {
        guard epoch == self.epoch else { return [] }
        isRemoving = false
        guard owed != nil else { return [] }
        (owed, generation) = (nil, 0)
        // What was not looked at while the removal was owed.
        return [.read(epoch: self.epoch, look: nil)]
    }

    private mutating func notRemoved(_ epoch: UInt32) -> [Effect] {
        if epoch == self.epoch { isRemoving = false }
        return []
    }
}
