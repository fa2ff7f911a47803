import LatchkeyCore

/// Encodes states into canonical forms, in which logins and other names are numbered in order of appearance.
///
/// ``ModelStateDecoder`` decodes the forms.
///
/// A form consists of single bytes in this order: flags with the store's condition, the record if there is
/// one, the number of processes, the processes, the number of logins, the state of each login, and for each
/// process the tokens that it has seen in use. A handle takes four bytes, and an optional value begins with a
/// byte that indicates its case.
///
/// A login's flags consist of two bits plus one bit per process, so a state can have up to six processes.
package struct ModelStateEncoder {
    /// The form that was written last.
    ///
    /// Writing the next form reuses the array's capacity.
    var bytes: [UInt8] = []

    /// The state that is being written.
    var state: ModelState
    /// The logins, in order of appearance.
    ///
    /// In the canonical form, each login is represented by its index in this array, from 0 to 31.
    var logins: [UInt32] = []
    /// The versions, in order of appearance.
    ///
    /// The upper 32 bits of each value contain the login number.
    var versions: [UInt64] = []
    /// The forms of records, in order of appearance.
    ///
    /// The upper 32 bits of each value contain the login number.
    var forms: [UInt64] = []
    /// The generations of records, in order of appearance.
    var generations: [UInt64] = []

    /// Creates an encoder with space for 160 bytes.
    ///
    /// Each call to ``write(_:order:)`` replaces the state.
    init(_ state: ModelState) {
        self.state = state
        bytes.reserveCapacity(160)
    }

    /// Writes a state, replacing the previously written form.
    ///
    /// Names depend on the order of the processes, so different orders result in different forms.
    ///
    /// - Parameters:
    ///   - state: The state to encode.
    ///   - order: The order in which to write the processes, as a list of their indices.
    mutating func write(_ state: ModelState, order: [Int]) {
        self.state = state
        bytes.removeAll(keepingCapacity: true)
        logins.removeAll(keepingCapacity: true)
        versions.removeAll(keepingCapacity: true)
        forms.removeAll(keepingCapacity: true)
        generations.removeAll(keepingCapacity: true)
        encodeState(order)
    }

    /// Writes the whole state.
    ///
    /// The logins are written last, when every login in the form has been assigned a name.
    private mutating func encodeState(_ order: [Int]) {
        var flags = state.storeCondition.rawValue
        if let record = state.record {
            flags |= 4 | (record.generation <= state.tombstone ? 8 : 0) | (state.current == nil ? 0 : 16)
        }
        bytes.append(flags)
        if let record = state.record {
            write(record.handle)
            write(generation: record.generation)
        }
        bytes.append(UInt8(order.count))
        for number in order { write(process: number) }
        writeLogins(order)
    }

    /// Writes the state of each named login on the server, in the store and in the processes.
    private mutating func writeLogins(_ order: [Int]) {
        bytes.append(UInt8(logins.count))
        for login in logins {
            let family = state.families[Int(login)]
            let bit: UInt32 = 1 << login
            var flags: UInt8 = (family.isLive ? 1 : 0) | (state.removedLogins & bit == 0 ? 0 : 2)
            for (place, number) in order.enumerated() where state.processes[number].endedLogins & bit != 0 {
                flags |= 4 << UInt8(place)
            }
            bytes.append(flags)
        }
        for number in order {
            let process = state.processes[number]
            guard process.readNumber == process.machine.refreshReads,
                logins.contains(where: { process.used($0) != nil })
            else {
                bytes.append(0)
                continue
            }
            bytes.append(1)
            for login in logins {
                if let seen = process.used(login) {
                    write(token: seen, of: login)
                } else {
                    bytes.append(.max)
                }
            }
        }
    }

    /// Writes a process's state machine, flags and callers, and its operations in progress.
    private mutating func write(process number: Int) {
        let process = state.processes[number]
        let machine = process.machine
        write(machine)
        let waits: UInt8 = (process.waitsForLock ? 16 : 0) | (process.proceedsWithoutLock ? 8 : 0)
        let knows: UInt8 = (process.hasPendingChange ? 4 : 0) | (process.signedOut ? 2 : 0)
        bytes.append(waits | knows | (state.lockHolder == UInt8(number) ? 1 : 0))
        write(waitersOf: machine, in: number)
        bytes.append(UInt8(process.pending.count))
        for effect in process.pending { write(effect, relativeTo: machine) }
        bytes.append(UInt8(process.results.count))
        for result in process.results { write(result, relativeTo: machine) }
        bytes.append(UInt8(process.requests.count))
        for request in process.requests { write(request) }
        guard let acceptedLogin = process.acceptedLogin else { return bytes.append(0) }
        bytes.append(acceptedLogin.signOuts == machine.signOuts ? 2 : 1)
        write(acceptedLogin.handle)
    }

    // MARK: The machine

    /// Writes the machine.
    ///
    /// The machine's epoch, sign-out count and refresh read number are not written, because the decoder
    /// restores the current values for them.
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

    /// Writes the waiting callers in the state machine's order, followed by the number of other callers.
    private mutating func write(waitersOf machine: SessionMachine, in number: Int) {
        var named: [UInt32] = []
        bytes.append(UInt8(machine.waiters.count))
        for waiter in machine.waiters {
            let name = Self.name(of: waiter.caller, in: &named)
            bytes.append(name | (state.isWaiting[Int(waiter.caller)] ? 128 : 0))
            switch waiter.need {
            case .any: bytes.append(0)
            case .fresher(let handle):
                bytes.append(1)
                write(handle)
            }
        }
        var (waiting, idle): (UInt8, UInt8) = (0, 0)
        for (caller, owner) in state.callerProcesses.enumerated() where Int(owner) == number {
            if named.contains(UInt32(caller)) { continue }
            if state.isWaiting[caller] { waiting += 1 } else { idle += 1 }
        }
        bytes.append(waiting)
        bytes.append(idle)
    }

    // MARK: Operations in progress

    /// Encodes a store operation that hasn't been performed yet.
    ///
    /// For an epoch or a sign-out count, we write only whether it is current, not the number itself.
    private mutating func write(_ effect: SessionMachine.Effect, relativeTo now: SessionMachine) {
        switch effect {
        case .read(let epoch, let refreshRead):
            bytes.append(1)
            write(epoch: epoch, refreshRead: refreshRead, relativeTo: now)
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
            // This effect is performed immediately, so it is never pending.
            bytes.append(0)
        }
    }

    /// Writes a store operation's result.
    ///
    /// For an epoch or a sign-out count, we write only whether it is current, not the number itself.
    private mutating func write(_ result: SessionMachine.Event, relativeTo now: SessionMachine) {
        switch result {
        case .read(let reading, let epoch, let refreshRead):
            bytes.append(1)
            write(epoch: epoch, refreshRead: refreshRead, relativeTo: now)
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
            // These events don't report the result of an effect.
            bytes.append(0)
        }
    }

    /// Writes a refresh request.
    ///
    /// Instead of a date, the proof contains the token that was in use at the time. That token's number is
    /// written relative to the number of the last used token.
    private mutating func write(_ request: ModelState.RefreshRequest) {
        write(request.handle)
        write(token: request.used, of: request.handle.login)
        switch request.answer {
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
