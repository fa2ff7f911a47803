import LatchkeyCore

extension ExploredWorld {
    /// A number that two worlds share exactly when they differ in names alone: in the order of the processes and
    /// callers, in how high the generations and epochs have counted.
    package var canonicalHash: Int {
        var generations: [UInt64] = [0, tombstone]
        if let record { generations.append(record.generation) }
        for app in apps {
            generations.append(app.machine.generation)
            if case .asking(_, let basis) = app.machine.refresh { generations.append(basis) }
            for case .save(_, let basis, _) in app.pending { generations.append(basis) }
            for result in app.results {
                switch result {
                case .read(.present(_, let generation), _, _), .saved(_, let generation, _),
                    .replaced(_, _, let generation, _):
                    generations.append(generation)
                default: break
                }
            }
        }
        let ranks = Set(generations).sorted()
        let names = Names(generations: ranks)

        var hasher = Hasher()
        var parts = apps.indices.map { hash(of: $0, names) }
        parts.sort()
        hasher.combine(parts)
        hasher.combine(record?.handle)
        hasher.combine(record.map { names.rank($0.generation) })
        hasher.combine(names.rank(tombstone))
        hasher.combine(mood)
        hasher.combine(families)
        hasher.combine(buried)
        hasher.combine(current)
        hasher.combine(budget)
        return hasher.finalize()
    }

    /// What numbers are called in a canonical world.
    private struct Names {
        let generations: [UInt64]

        func rank(_ generation: UInt64) -> Int {
            generations.firstIndex(of: generation) ?? -1
        }
    }

    private func hash(of number: Int, _ names: Names) -> Int {
        let app = apps[number]
        let machine = app.machine
        var hasher = Hasher()
        hasher.combine(machine.truth)
        hasher.combine(names.rank(machine.generation))
        hasher.combine(machine.owed)
        hasher.combine(machine.isUnsaved)
        hasher.combine(machine.replacing)
        switch machine.refresh {
        case .idle: hasher.combine(0)
        case .locking: hasher.combine(1)
        case .reading: hasher.combine(2)
        case .asking(let handle, let basis):
            hasher.combine(3)
            hasher.combine(handle)
            hasher.combine(names.rank(basis))
        case .saving(let handle):
            hasher.combine(4)
            hasher.combine(handle)
        }
        for waiter in machine.waiters { hasher.combine(waiter.need) }
        for effect in app.pending { combine(effect, machine, names, into: &hasher) }
        hasher.combine(-1)
        for result in app.results { combine(result, machine, names, into: &hasher) }
        hasher.combine(-2)
        hasher.combine(app.questions)
        hasher.combine(app.admission?.handle)
        hasher.combine(app.admission.map { $0.signOuts == machine.signOuts })
        hasher.combine(app.waitsForLock)
        hasher.combine(app.overtook)
        hasher.combine(app.hasNews)
        if machine.refresh == .reading { hasher.combine(app.seenLook == machine.looks ? app.seenUsed : []) }
        hasher.combine(app.left)
        hasher.combine(app.signedOut)
        hasher.combine(lockHolder == UInt8(number))
        var states = [0, 0, 0]
        for (caller, owner) in callerApps.enumerated() where Int(owner) == number {
            states[Int(callers[caller].rawValue)] += 1
        }
        hasher.combine(states)
        return hasher.finalize()
    }

    private func combine(
        _ effect: SessionMachine.Effect,
        _ now: SessionMachine,
        _ names: Names,
        into hasher: inout Hasher
    ) {
        switch effect {
        case .read(let epoch, let look):
            hasher.combine(1)
            hasher.combine(epoch == now.epoch)
            hasher.combine(look.map { $0 == now.looks })
        case .save(let handle, let basis, let epoch):
            hasher.combine(2)
            hasher.combine(handle)
            hasher.combine(names.rank(basis))
            hasher.combine(epoch == now.epoch)
        case .replace(_, let handle, let signOuts):
            hasher.combine(3)
            hasher.combine(handle)
            hasher.combine(signOuts == now.signOuts)
        case .remove(let removal, let epoch):
            hasher.combine(4)
            hasher.combine(removal)
            hasher.combine(epoch == now.epoch)
        case .lock, .unlock, .ask, .answer, .announce:
            break
        }
    }

    private func combine(
        _ result: SessionMachine.Event,
        _ now: SessionMachine,
        _ names: Names,
        into hasher: inout Hasher
    ) {
        switch result {
        case .read(.present(let handle, let generation), let epoch, let look):
            hasher.combine(1)
            hasher.combine(look.map { $0 == now.looks })
            hasher.combine(handle)
            hasher.combine(names.rank(generation))
            hasher.combine(epoch == now.epoch)
        case .saved(let handle, let generation, let epoch):
            hasher.combine(2)
            hasher.combine(handle)
            hasher.combine(names.rank(generation))
            hasher.combine(epoch == now.epoch)
        case .replaced(_, let handle, let generation, let signOuts):
            hasher.combine(3)
            hasher.combine(handle)
            hasher.combine(names.rank(generation))
            hasher.combine(signOuts == now.signOuts)
        case .read(let reading, let epoch, let look):
            hasher.combine(4)
            hasher.combine(look.map { $0 == now.looks })
            hasher.combine(reading)
            hasher.combine(epoch == now.epoch)
        case .notSaved(let handle, let code, let epoch):
            hasher.combine(5)
            hasher.combine(handle)
            hasher.combine(code)
            hasher.combine(epoch == now.epoch)
        case .notReplaced(_, let code, let signOuts):
            hasher.combine(6)
            hasher.combine(code)
            hasher.combine(signOuts == now.signOuts)
        case .removed(let epoch):
            hasher.combine(7)
            hasher.combine(epoch == now.epoch)
        case .notRemoved(let epoch):
            hasher.combine(8)
            hasher.combine(epoch == now.epoch)
        default:
            hasher.combine(result)
        }
    }
}
