import LatchkeyCore

/// Decodes canonical forms that were written by ``ModelStateEncoder``.
///
/// Several states can have the same canonical form. The decoder returns one of these states.
struct ModelStateDecoder {
    /// The number that is assigned to each family's last used token in a decoded state.
    ///
    /// This number is large enough that older tokens never have negative numbers.
    static let used: UInt32 = 64

    /// The current epoch, sign-out count and refresh read number in every decoded machine.
    ///
    /// Past epochs, counts and numbers are decoded as 0.
    private static let now: UInt32 = 1

    private var bytes: ArraySlice<UInt8>
    private var state: ModelState
    private var versions: UInt32 = 0
    private var forms: UInt32 = 0
    private var generations: UInt64 = 0

    /// Creates a decoder.
    ///
    /// See ``ModelStateEncoder`` for the layout of a form.
    ///
    /// - Parameters:
    ///   - bytes: The canonical form to decode. Bytes missing from a truncated form are read as zeros.
    ///   - budget: The budget of the decoded state, which is not part of the form.
    init(_ bytes: ArraySlice<UInt8>, budget: ExplorerBounds) {
        self.bytes = bytes
        state = ModelState(empty: budget)
    }

    /// Decodes the state.
    ///
    /// Names and counters may differ from those in the state that was encoded, but both states have the same
    /// canonical form. Call this method only once, because decoding consumes the bytes.
    mutating func decodeState() -> ModelState {
        let flags = next()
        state.storeCondition = ModelState.StoreCondition(rawValue: flags & 3) ?? .available
        if flags & 4 != 0 {
            let record = ModelState.Record(handle: handle(), generation: generation())
            state.record = record
            if flags & 8 != 0 { state.tombstone = record.generation }
            if flags & 16 != 0 { state.current = record.handle.login }
        }
        let count = Int(next())
        for number in 0..<count { readProcess(number) }
        readLogins()
        (state.lastAccess, state.lastForm, state.lastGeneration) = (versions, forms, generations)
        return state
    }

    /// Decodes the token families, and the logins that have ended for each process.
    private mutating func readLogins() {
        let count = Int(next())
        for login in 0..<count {
            let flags = next()
            state.families.append(ModelState.TokenFamily(isLive: flags & 1 != 0, used: Self.used))
            if flags & 2 != 0 { state.removedLogins |= 1 << UInt32(login) }
            for number in state.processes.indices where flags & (4 << UInt8(number)) != 0 {
                state.processes[number].endedLogins |= 1 << UInt32(login)
            }
        }
        for number in state.processes.indices where next() == 1 {
            state.processes[number].readNumber = Self.now
            for _ in 0..<count {
                let seen = next()
                state.processes[number].usedAtRead.append(seen == .max ? .max : UInt32(seen))
            }
        }
    }

    /// Decodes a process, and adds the process and its callers to the state.
    private mutating func readProcess(_ number: Int) {
        var process = ModelState.Process()
        let (truth, refresh) = (truth(), refresh())
        let generation = generation()
        let unsavedAndRemoving = next()
        let replacing = Int(Int8(bitPattern: next()))
        let owed = removal()
        let flags = next()
        (process.waitsForLock, process.proceedsWithoutLock) = (flags & 16 != 0, flags & 8 != 0)
        (process.hasPendingChange, process.signedOut) = (flags & 4 != 0, flags & 2 != 0)
        if flags & 1 != 0 { state.lockHolder = UInt8(number) }
        process.machine = SessionMachine(
            status: truth,
            refresh: refresh,
            epoch: Self.now,
            signOuts: Self.now,
            refreshReads: Self.now,
            generation: generation,
            pendingRemoval: owed,
            isRemoving: unsavedAndRemoving & 2 != 0,
            replacing: replacing,
            isUnsaved: unsavedAndRemoving & 1 != 0,
            waiters: waiters(in: number)
        )
        for _ in 0..<next() { if let effect = effect() { process.pending.append(effect) } }
        for _ in 0..<next() { if let result = result() { process.results.append(result) } }
        for _ in 0..<next() { process.requests.append(request()) }
        let acceptedLogin = next()
        if acceptedLogin != 0 {
            process.acceptedLogin = ModelState.AcceptedLogin(
                handle: handle(),
                signOuts: acceptedLogin == 2 ? Self.now : 0
            )
        }
        state.processes.append(process)
    }

    // MARK: The machine

    private mutating func truth() -> SessionMachine.Status {
        switch next() {
        case 1: .unavailable(code())
        case 2: .absent
        case 3: .present(handle())
        default: .unread
        }
    }

    private mutating func refresh() -> SessionMachine.Refresh {
        switch next() {
        case 1: .locking
        case 2: .reading
        case 3: .asking(handle(), basedOn: generation())
        case 4: .saving(handle())
        default: .idle
        }
    }

    /// Reads the machine's waiting callers, and adds all of the process's callers to the state.
    ///
    /// The callers in the machine's list are added first, then all others that are waiting, and finally the
    /// idle callers.
    private mutating func waiters(in number: Int) -> [SessionMachine.Waiter] {
        let first = state.isWaiting.count
        var waiters: [SessionMachine.Waiter] = []
        for _ in 0..<next() {
            let name = next()
            let caller = first + Int(name & 127)
            if caller == state.isWaiting.count { add(callers: 1, areWaiting: name & 128 != 0, to: number) }
            let need: SessionMachine.Need = next() == 0 ? .any : .fresher(handle())
            waiters.append(SessionMachine.Waiter(caller: UInt32(caller), need: need))
        }
        add(callers: next(), areWaiting: true, to: number)
        add(callers: next(), areWaiting: false, to: number)
        return waiters
    }

    /// Appends the given number of callers to a process.
    private mutating func add(callers: UInt8, areWaiting: Bool, to number: Int) {
        for _ in 0..<callers {
            state.isWaiting.append(areWaiting)
            state.callerProcesses.append(UInt8(number))
        }
    }

    // MARK: Operations in progress

    /// Reads a pending store operation, or returns `nil` for code 0, which stands for an effect that is never
    /// pending.
    ///
    /// For the effect that stores a new login, the canonical form only contains whether the caller is `.max`.
    /// All other callers are decoded as 0.
    private mutating func effect() -> SessionMachine.Effect? {
        switch next() {
        case 1:
            let (epoch, look) = epochAndRead()
            return .read(epoch: epoch, refreshRead: look)
        case 2:
            let epoch = UInt32(next())
            return .save(handle(), basedOn: generation(), epoch: epoch)
        case 3:
            let flags = next()
            return .replace(flags & 1 == 1 ? .max : 0, handle(), signOuts: UInt32(flags >> 1))
        case 4:
            let epoch = UInt32(next())
            return removal().map { .remove($0, epoch: epoch) }
        default: return nil
        }
    }

    /// Reads a store operation's result, or returns `nil` for code 0, which stands for an event that is not a
    /// result.
    private mutating func result() -> SessionMachine.Event? {
        switch next() {
        case 1:
            let (epoch, look) = epochAndRead()
            return .read(reading(), epoch: epoch, refreshRead: look)
        case 2:
            let epoch = UInt32(next())
            return .saved(handle(), generation: generation(), epoch: epoch)
        case 3:
            let epoch = UInt32(next())
            return .saveFailed(handle(), code(), epoch: epoch)
        case 4:
            let flags = next()
            let (caller, signOuts): (UInt32, UInt32) = (flags & 1 == 1 ? .max : 0, UInt32(flags >> 1))
            return .replaced(caller, handle(), generation: generation(), signOuts: signOuts)
        case 5:
            let flags = next()
            return .replaceFailed(flags & 1 == 1 ? .max : 0, code(), signOuts: UInt32(flags >> 1))
        case 6: return .removed(epoch: UInt32(next()))
        case 7: return .removalFailed(epoch: UInt32(next()))
        default: return nil
        }
    }

    /// Decodes an epoch, and the number of the read if the store was read for a refresh.
    ///
    /// Bit 2 is set if the epoch is current, bit 1 if the read was part of a refresh, and bit 0 if that
    /// refresh is the current one.
    private mutating func epochAndRead() -> (epoch: UInt32, refreshRead: UInt32?) {
        let flags = next()
        return (UInt32(flags >> 2), flags & 2 == 0 ? nil : UInt32(flags & 1))
    }

    private mutating func request() -> ModelState.RefreshRequest {
        let asked = handle()
        let used = UInt32(next())
        let answer: SessionMachine.Answer? =
            switch next() {
            case 1: .granted(handle())
            case 2: .refused
            case 3: .stale
            case 4: .failed
            default: nil
            }
        return ModelState.RefreshRequest(handle: asked, used: used, answer: answer)
    }

    // MARK: Values

    private mutating func reading() -> SessionMachine.Reading {
        switch next() {
        case 1: .unavailable(code())
        case 2: .present(handle(), generation: generation())
        default: .absent
        }
    }

    private mutating func removal() -> SessionMachine.Removal? {
        switch next() {
        case 1: .anything
        case 2: .login(UInt32(next()))
        default: nil
        }
    }

    /// Reads a handle, and updates the highest access and form numbers that have been read.
    private mutating func handle() -> SessionHandle {
        let first = next()
        let access = UInt32(next())
        let token = UInt32(next())
        let form = UInt32(next())
        (versions, forms) = (max(versions, access), max(forms, form))
        return SessionHandle(
            login: UInt32(first & 63),
            version: SessionHandle.version(token: token, access: access),
            form: form,
            isPair: first & 64 != 0,
            isComplete: first & 128 != 0
        )
    }

    /// Reads a generation, which is encoded as an index in order of appearance.
    ///
    /// The value 0 means that there is no record.
    private mutating func generation() -> UInt64 {
        let generation = UInt64(next())
        generations = max(generations, generation)
        return generation
    }

    private mutating func code() -> SessionStoreError.Code {
        switch next() {
        case 1: .locked
        case 2: .failed
        case 3: .unreadable
        case 4: .newer
        default: .conflict
        }
    }

    /// Consumes one byte, or returns 0 at the end of the form.
    private mutating func next() -> UInt8 {
        bytes.popFirst() ?? 0
    }
}
