import LatchkeyCore

/// An encoder of canonical forms, which numbers names in the order of their mention; ``WorldReader`` decodes
/// them.
struct WorldWriter {
    var bytes: [UInt8] = []

    var world: ExploredWorld
    var logins: [UInt32] = []
    var versions: [UInt64] = []
    var forms: [UInt64] = []
    var generations: [UInt64] = []

    init(_ world: ExploredWorld) {
        self.world = world
        bytes.reserveCapacity(160)
    }

    /// Writes a world and discards what was written before.
    ///
    /// - Parameters:
    ///   - world: The world.
    ///   - order: The order of its processes, by their indices.
    mutating func write(_ world: ExploredWorld, _ order: [Int]) {
        self.world = world
        bytes.removeAll(keepingCapacity: true)
        logins.removeAll(keepingCapacity: true)
        versions.removeAll(keepingCapacity: true)
        forms.removeAll(keepingCapacity: true)
        generations.removeAll(keepingCapacity: true)
        writeWorld(order)
    }

    private mutating func writeWorld(_ order: [Int]) {
        var flags = world.mood.rawValue
        if let record = world.record {
            flags |= 4 | (record.generation <= world.tombstone ? 8 : 0) | (world.current == nil ? 0 : 16)
        }
        bytes.append(flags)
        if let record = world.record {
            write(record.handle)
            write(generation: record.generation)
        }
        bytes.append(UInt8(order.count))
        for number in order { write(app: number) }
        writeLogins(order)
    }

    /// Writes the state of each login that was mentioned: on the server, in the store and in the processes.
    private mutating func writeLogins(_ order: [Int]) {
        bytes.append(UInt8(logins.count))
        for login in logins {
            let family = world.families[Int(login)]
            let bit: UInt32 = 1 << login
            var flags: UInt8 = (family.isLive ? 1 : 0) | (world.buried & bit == 0 ? 0 : 2)
            for (place, number) in order.enumerated() where world.apps[number].left & bit != 0 {
                flags |= 4 << UInt8(place)
            }
            bytes.append(flags)
        }
        for number in order {
            let app = world.apps[number]
            guard app.seenLook == app.machine.refreshReads, logins.contains(where: { app.used($0) != nil })
            else {
                bytes.append(0)
                continue
            }
            bytes.append(1)
            for login in logins {
                if let seen = app.used(login) { write(token: seen, of: login) } else { bytes.append(.max) }
            }
        }
    }

    private mutating func write(app number: Int) {
        let app = world.apps[number]
        let machine = app.machine
        write(machine)
        let waits: UInt8 = (app.waitsForLock ? 16 : 0) | (app.overtook ? 8 : 0)
        let knows: UInt8 = (app.hasNews ? 4 : 0) | (app.signedOut ? 2 : 0)
        bytes.append(waits | knows | (world.lockHolder == UInt8(number) ? 1 : 0))
        write(waitersOf: machine, in: number)
        bytes.append(UInt8(app.pending.count))
        for effect in app.pending { write(effect, machine) }
        bytes.append(UInt8(app.results.count))
        for result in app.results { write(result, machine) }
        bytes.append(UInt8(app.questions.count))
        for question in app.questions { write(question) }
        guard let admission = app.admission else { return bytes.append(0) }
        bytes.append(admission.signOuts == machine.signOuts ? 2 : 1)
        write(admission.handle)
    }

    // MARK: The machine

    private mutating func write(_ machine: SessionMachine) {
        switch machine.status {
        case .unread: bytes.append(0)
        case .unavailable(let code):
            bytes.append(1)
            write(code)
        case .absent: bytes.append(2)
        case .present(let handle):
            bytes.append(3)
            write(handle)
        }
        switch machine.refresh {
        case .idle: bytes.append(0)
        case .locking: bytes.append(1)
        case .reading: bytes.append(2)
        case .asking(let handle, let basis):
            bytes.append(3)
            write(handle)
            write(generation: basis)
        case .saving(let handle):
            bytes.append(4)
            write(handle)
        }
        write(generation: machine.generation)
        bytes.append((machine.isUnsaved ? 1 : 0) | (machine.isRemoving ? 2 : 0))
        bytes.append(UInt8(bitPattern: Int8(machine.replacing)))
        write(machine.pendingRemoval)
    }

    /// Writes the waiting callers in the order of the state machine, and the numbers of other callers.
    private mutating func write(waitersOf machine: SessionMachine, in number: Int) {
        var named: [UInt32] = []
        bytes.append(UInt8(machine.waiters.count))
        for waiter in machine.waiters {
            let name = Self.name(of: waiter.caller, in: &named)
            bytes.append(name | (world.isWaiting[Int(waiter.caller)] ? 128 : 0))
            switch waiter.need {
            case .any: bytes.append(0)
            case .fresher(let handle):
                bytes.append(1)
                write(handle)
            }
        }
        var (waiting, idle): (UInt8, UInt8) = (0, 0)
        for (caller, owner) in world.callerApps.enumerated() where Int(owner) == number {
            if named.contains(UInt32(caller)) { continue }
            if world.isWaiting[caller] { waiting += 1 } else { idle += 1 }
        }
        bytes.append(waiting)
        bytes.append(idle)
    }

    // MARK: Operations in progress

    private mutating func write(_ effect: SessionMachine.Effect, _ now: SessionMachine) {
        switch effect {
        case .read(let epoch, let look):
            bytes.append(1)
            write(epoch, look, now)
        case .save(let handle, let basis, let epoch):
            bytes.append(2)
            bytes.append(epoch == now.epoch ? 1 : 0)
            write(handle)
            write(generation: basis)
        case .replace(let caller, let handle, let signOuts):
            bytes.append(3)
            bytes.append((signOuts == now.signOuts ? 2 : 0) | (caller == .max ? 1 : 0))
            write(handle)
        case .remove(let removal, let epoch):
            bytes.append(4)
            bytes.append(epoch == now.epoch ? 1 : 0)
            write(removal)
        case .lock, .unlock, .ask, .answer, .announce:
            // Performed at once, so never pending.
            bytes.append(0)
        }
    }

    private mutating func write(_ result: SessionMachine.Event, _ now: SessionMachine) {
        switch result {
        case .read(let reading, let epoch, let look):
            bytes.append(1)
            write(epoch, look, now)
            write(reading)
        case .saved(let handle, let generation, let epoch):
            bytes.append(2)
            bytes.append(epoch == now.epoch ? 1 : 0)
            write(handle)
            write(generation: generation)
        case .saveFailed(let handle, let code, let epoch):
            bytes.append(3)
            bytes.append(epoch == now.epoch ? 1 : 0)
            write(handle)
            write(code)
        case .replaced(let caller, let handle, let generation, let signOuts):
            bytes.append(4)
            bytes.append((signOuts == now.signOuts ? 2 : 0) | (caller == .max ? 1 : 0))
            write(handle)
            write(generation: generation)
        case .replaceFailed(let caller, let code, let signOuts):
            bytes.append(5)
            bytes.append((signOuts == now.signOuts ? 2 : 0) | (caller == .max ? 1 : 0))
            write(code)
        case .removed(let epoch):
            bytes.append(6)
            bytes.append(epoch == now.epoch ? 1 : 0)
        case .removalFailed(let epoch):
            bytes.append(7)
            bytes.append(epoch == now.epoch ? 1 : 0)
        case .started, .changed, .asked, .cancelled, .locked, .answered, .amended, .loginSucceeded,
            .signedOut, .ended:
            // Not the result of an effect.
            bytes.append(0)
        }
    }

    private mutating func write(_ question: ExploredWorld.Question) {
        write(question.handle)
        write(token: question.used, of: question.handle.login)
        switch question.answer {
        case nil: bytes.append(0)
        case .granted(let handle):
            bytes.append(1)
            write(handle)
        case .refused: bytes.append(2)
        case .stale: bytes.append(3)
        case .failed: bytes.append(4)
        }
    }
}
