import LatchkeyCore

extension ModelState {
    /// Performs the first pending store operation of a process.
    ///
    /// - Throws: ``InvariantViolation`` if the operation removes a login that the user hasn't signed out of.
    mutating func performStoreOperation(of process: Int) throws(InvariantViolation) {
        let effect = processes[process].pending.removeFirst()
        let epoch = processes[process].machine.epoch
        switch effect {
        case .read(let asked, let look):
            if let look, look == processes[process].machine.refreshReads {
                (processes[process].usedAtRead, processes[process].readNumber) = (families.map(\.used), look)
            }
            processes[process].results.append(.read(reading, epoch: asked, refreshRead: look))
        case .save(let handle, let basis, let asked):
            guard asked == epoch else { return }
            processes[process].results.append(save(handle, basedOn: basis, by: process, epoch: asked))
        case .replace(let caller, let handle, let asked):
            guard asked == processes[process].machine.signOuts else {
                return processes[process].results.append(.replaceFailed(caller, .conflict, signOuts: asked))
            }
            processes[process].results.append(
                replaceRecord(with: handle, for: caller, by: process, signOuts: asked)
            )
        case .remove(let removal, let asked):
            guard asked == epoch else { return }
            let isGone = try remove(removal, by: process)
            processes[process].results.append(isGone ? .removed(epoch: asked) : .removalFailed(epoch: asked))
        case .lock, .unlock, .ask, .answer, .announce:
            break
        }
    }

    /// Removes duplicate pending reads, as a `SessionKeeper` does.
    ///
    /// The explorer doesn't use this method, because the state machine must be correct even if equal reads
    /// are not merged.
    package mutating func mergeReads() {
        for process in processes.indices {
            var reads: Set<SessionMachine.Effect> = []
            processes[process].pending.removeAll { effect in
                guard case .read(_, nil) = effect else { return false }
                return !reads.insert(effect).inserted
            }
        }
    }

    /// The result that a process receives if it reads the store in its current condition.
    private var reading: SessionMachine.Reading {
        switch storeCondition {
        case .locked:
            if let record, record.generation > tombstone { return .unavailable(.locked) }
            return record == nil ? .unavailable(.locked) : .absent
        case .failing: return .unavailable(.failed)
        case .available:
            guard let record else { return .absent }
            return .present(record.handle, generation: record.generation)
        }
    }

    /// Replaces the record if it has the expected generation.
    ///
    /// If the record has another generation, the save fails with `conflict`. If the store is locked or
    /// failing, the save fails with `locked` or `failed`. A save that fails doesn't change the record.
    private mutating func save(
        _ handle: SessionHandle,
        basedOn basis: UInt64,
        by process: Int,
        epoch: UInt32
    ) -> SessionMachine.Event {
        if storeCondition != .available {
            return .saveFailed(handle, storeCondition == .locked ? .locked : .failed, epoch: epoch)
        }
        guard let record, record.generation == basis else {
            return .saveFailed(handle, .conflict, epoch: epoch)
        }
        write(handle, by: process)
        return .saved(handle, generation: lastGeneration, epoch: epoch)
    }

    /// Stores a new login, replacing any record.
    ///
    /// If the record contains a different login, that login is marked as removed.
    private mutating func replaceRecord(
        with handle: SessionHandle,
        for caller: UInt32,
        by process: Int,
        signOuts: UInt32
    ) -> SessionMachine.Event {
        if storeCondition != .available {
            return .replaceFailed(caller, storeCondition == .locked ? .locked : .failed, signOuts: signOuts)
        }
        if let record, record.handle.login != handle.login { removedLogins |= 1 << record.handle.login }
        write(handle, by: process)
        current = families[Int(handle.login)].isLive ? handle.login : nil
        return .replaced(caller, handle, generation: lastGeneration, signOuts: signOuts)
    }

    /// Stores a record with the next generation.
    ///
    /// The other processes will be notified of the change.
    private mutating func write(_ handle: SessionHandle, by process: Int) {
        lastGeneration += 1
        record = Record(handle: handle, generation: lastGeneration)
        notifyOthers(of: process)
    }

    /// Removes a record, or leaves a tombstone for it if the store is locked.
    ///
    /// - Returns: `true` if later reads can no longer return the record.
    private mutating func remove(_ removal: SessionMachine.Removal, by process: Int)
        throws(InvariantViolation)
        -> Bool
    {
        if storeCondition == .failing { return false }
        // A locked store doesn't reveal whether there is a record, unless the record is covered by a
        // tombstone.
        if case .login = removal, case .unavailable = reading { return false }
        guard let found = record else { return true }
        if case .login(let login) = removal, found.handle.login != login { return true }
        if current == found.handle.login {
            guard processes[process].signedOut else { throw .loggedOutUnexpectedly }
            current = nil
        }
        removedLogins |= 1 << found.handle.login
        processes[process].endedLogins |= 1 << found.handle.login
        if storeCondition == .locked { tombstone = found.generation } else { record = nil }
        notifyOthers(of: process)
        return true
    }

    /// Notifies all other processes of a change.
    ///
    /// If a process hasn't received an earlier notification yet, the two are merged.
    private mutating func notifyOthers(of process: Int) {
        for other in processes.indices where other != process { processes[other].hasPendingChange = true }
    }
}
