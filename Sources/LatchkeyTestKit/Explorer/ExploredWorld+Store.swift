import LatchkeyCore

extension ExploredWorld {
    /// Performs the first pending store operation of a process.
    ///
    /// - Throws: ``ExploredViolation`` if it removes a login that no user signed out of.
    mutating func useStore(_ app: Int) throws(ExploredViolation) {
        let effect = apps[app].pending.removeFirst()
        let epoch = apps[app].machine.epoch
        switch effect {
        case .read(let asked, let look):
            if let look, look == apps[app].machine.refreshReads {
                (apps[app].seenUsed, apps[app].seenLook) = (families.map(\.used), look)
            }
            apps[app].results.append(.read(reading, epoch: asked, refreshRead: look))
        case .save(let handle, let basis, let asked):
            guard asked == epoch else { return }
            apps[app].results.append(save(handle, basis, by: app, epoch: asked))
        case .replace(let caller, let handle, let asked):
            guard asked == apps[app].machine.signOuts else {
                return apps[app].results.append(.replaceFailed(caller, .conflict, signOuts: asked))
            }
            apps[app].results.append(replace(caller, handle, by: app, signOuts: asked))
        case .remove(let removal, let asked):
            guard asked == epoch else { return }
            let isGone = try remove(removal, by: app)
            apps[app].results.append(isGone ? .removed(epoch: asked) : .removalFailed(epoch: asked))
        case .lock, .unlock, .ask, .answer, .announce:
            break
        }
    }

    /// Removes pending reads that follow an equal one, as a `SessionKeeper` does.
    ///
    /// The explorer does not use it: the state machine must be correct with all the reads that it requests.
    package mutating func mergeReads() {
        for app in apps.indices {
            var reads: Set<SessionMachine.Effect> = []
            apps[app].pending.removeAll { effect in
                guard case .read(_, nil) = effect else { return false }
                return !reads.insert(effect).inserted
            }
        }
    }

    /// The result of a read, depending on the state of the store.
    private var reading: SessionMachine.Reading {
        switch mood {
        case .locked:
            if let record, record.generation > tombstone { return .unavailable(.locked) }
            return record == nil ? .unavailable(.locked) : .absent
        case .failing: return .unavailable(.failed)
        case .fine:
            guard let record else { return .absent }
            return .present(record.handle, generation: record.generation)
        }
    }

    /// Replaces the record, if it has the expected generation.
    private mutating func save(
        _ handle: SessionHandle,
        _ basis: UInt64,
        by app: Int,
        epoch: UInt32
    ) -> SessionMachine.Event {
        if mood != .fine { return .saveFailed(handle, mood == .locked ? .locked : .failed, epoch: epoch) }
        guard let record, record.generation == basis else {
            return .saveFailed(handle, .conflict, epoch: epoch)
        }
        write(handle, by: app)
        return .saved(handle, generation: lastGeneration, epoch: epoch)
    }

    /// Stores a new login in place of any record.
    private mutating func replace(
        _ caller: UInt32,
        _ handle: SessionHandle,
        by app: Int,
        signOuts: UInt32
    ) -> SessionMachine.Event {
        if mood != .fine {
            return .replaceFailed(caller, mood == .locked ? .locked : .failed, signOuts: signOuts)
        }
        if let record, record.handle.login != handle.login { buried |= 1 << record.handle.login }
        write(handle, by: app)
        current = families[Int(handle.login)].isLive ? handle.login : nil
        return .replaced(caller, handle, generation: lastGeneration, signOuts: signOuts)
    }

    private mutating func write(_ handle: SessionHandle, by app: Int) {
        lastGeneration += 1
        record = Record(handle: handle, generation: lastGeneration)
        spread(from: app)
    }

    /// Removes a record, or leaves a tombstone for it if the store is locked.
    ///
    /// - Returns: Whether no reader will find the record again.
    private mutating func remove(_ removal: SessionMachine.Removal, by app: Int) throws(ExploredViolation)
        -> Bool
    {
        if mood == .failing { return false }
        // A locked store reveals neither its record nor whether it has one, unless the tombstone covers it.
        if case .login = removal, case .unavailable = reading { return false }
        guard let found = record else { return true }
        if case .login(let login) = removal, found.handle.login != login { return true }
        if current == found.handle.login {
            guard apps[app].signedOut else { throw .loggedOutByAccident }
            current = nil
        }
        buried |= 1 << found.handle.login
        apps[app].left |= 1 << found.handle.login
        if mood == .locked { tombstone = found.generation } else { record = nil }
        spread(from: app)
        return true
    }

    /// Notifies all other processes of a change.
    private mutating func spread(from app: Int) {
        for other in apps.indices where other != app { apps[other].hasNews = true }
    }
}
