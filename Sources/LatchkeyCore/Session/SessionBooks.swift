import LatchkeyModel

/// All that a keeper knows, guarded by one lock: the machine that decides, and what its decisions are about.
struct SessionBooks: Sendable {
    typealias Caller = SessionMachine.Caller
    typealias Answer = @Sendable (Result<HeldSession, LatchkeyError>) -> Void

    /// What is done once the lock is free.
    enum Deed: Sendable {
        /// Do what is first among the operations on the store.
        case useStore
        /// Wait for the lock on refreshes; the number tells whether the wait is still of use.
        case wait(UInt64)
        case release(HeldRefreshLock)
        case ask(HeldSession, TokenRenewal.Look)
        case answer(Answer, Result<HeldSession, LatchkeyError>)
        case removeKey(StoredKey)
        /// Write down what is worth it.
        case keepJournal
        /// Begin or stop to read the store again from time to time; of two, the one with the higher number counts.
        case retry(UInt64, isDue: Bool)
    }

    var machine = SessionMachine()
    var catalog: SessionCatalog
    var broadcast = SessionBroadcast()

    /// What is to be done with the store, in this order.
    private(set) var operations: [SessionMachine.Effect] = []
    /// The operation that is under way.
    private var operation: SessionMachine.Effect?
    private var callers: [Caller: Answer] = [:]
    private var callerCount: Caller = 0

    /// Whether a sign-out has left something in the store that is to be erased.
    var isErasureDue = false

    /// What the store said last when it could not tell, and why something may still be in it.
    var storeFailure: SessionStoreError?
    var removalFailure: SessionStoreError?

    /// What the journal has been told last about a store that cannot tell.
    var unavailability: SessionStoreError.Code?
    /// How the identity server said that a session is over.
    var endReason = ""
    /// What is still to be written into the journal.
    var entries: [JournalEntry] = []

    /// Why the last refresh brought nothing.
    var refreshFailure: LatchkeyError?
    /// How often in a row the server said that a question came too late.
    var staleAnswers = 0
    /// What stood fast when a refresh looked at the store last.
    var look: TokenRenewal.Look?
    private(set) var lockTicket: UInt64 = 0
    var lock: HeldRefreshLock?

    var attempts: [UInt64: @Sendable () -> Void] = [:]
    var attemptCount: UInt64 = 0
    var isRenewing = false

    /// Whether the store is read again from time to time, and how often that has changed.
    private var isRetrying = false
    private var retryTicket: UInt64 = 0

    init(_ credential: Credential, catalogLimit: Int = SessionCatalog.limit) {
        catalog = SessionCatalog(credential, limit: catalogLimit)
    }

    /// The state as the app sees it.
    var state: SessionState {
        switch machine.truth {
        case .unread: .unavailable(.notReadYet)
        case .unavailable(let code): .unavailable(.store(failure(code)))
        case .absent: .signedOut
        case .present: held.map { .signedIn($0.stored.session) } ?? .signedOut
        }
    }

    var held: HeldSession? {
        machine.held.flatMap { catalog[$0] }
    }

    /// The session that serves a caller at once.
    func session(serving need: SessionMachine.Need) -> HeldSession? {
        machine.serving(need).flatMap { catalog[$0] }
    }

    /// Registers somebody who waits for an answer of the machine.
    mutating func add(_ answer: @escaping Answer) -> Caller {
        callerCount &+= 1
        callers[callerCount] = answer
        return callerCount
    }

    /// Somebody who no longer waits; nothing when the answer was faster.
    mutating func remove(_ caller: Caller) -> Answer? {
        callers.removeValue(forKey: caller)
    }

    /// Takes out the operation on the store that is to be done now.
    mutating func nextOperation() -> SessionMachine.Effect? {
        guard !operations.isEmpty else { return nil }
        operation = operations.removeFirst()
        return operation
    }

    /// Takes out the removal of a sign-out, and with it the removals of earlier epochs.
    mutating func takeRemoval() -> SessionMachine.Effect? {
        let removal = operations.first { $0.isRemoval }
        operations.removeAll { $0.isRemoval }
        return removal
    }

    /// Returns whether a removal is to be completed, and regards it as done.
    mutating func takeErasure() -> Bool {
        defer { isErasureDue = false }
        return isErasureDue
    }

    /// Notes that the operation on the store has ended.
    mutating func endOperation() {
        operation = nil
    }

    /// Hands an event to the machine.
    ///
    /// - Returns: What is to be done about it, in this order.
    mutating func take(_ event: SessionMachine.Event, at time: Timestamp) -> [Deed] {
        let (former, before) = (held, Former(machine))
        let effects = machine.reduce(event)
        var deeds: [Deed] = []
        if let entry = entry(for: event, after: before, at: time) {
            entries.append(entry)
            deeds.append(.keepJournal)
        }
        for effect in effects { act(on: effect, &deeds) }
        let present = held
        if let former, former.handle.login != present?.handle.login, former.stored.key != present?.stored.key
        {
            deeds.append(.removeKey(former.stored.key))
        }
        let isUnavailable = if case .unavailable = machine.truth { true } else { false }
        if isUnavailable != isRetrying {
            isRetrying = isUnavailable
            retryTicket += 1
            deeds.append(.retry(retryTicket, isDue: isUnavailable))
        }
        catalog.forget { [machine, operations, operation] in
            machine.concerns($0) || operations.contains(where: $0.isConcern(of:))
                || operation.map($0.isConcern(of:)) == true
        }
        return deeds
    }

    private mutating func act(on effect: SessionMachine.Effect, _ deeds: inout [Deed]) {
        switch effect {
        case .read(_, nil) where operations.contains(effect):
            // The read that waits in the queue finds everything that this one would.
            deeds.append(.useStore)
        case .read, .save, .replace:
            operations.append(effect)
            deeds.append(.useStore)
        case .remove:
            operations.insert(effect, at: 0)
            deeds.append(.useStore)
        case .lock:
            lockTicket += 1
            deeds.append(.wait(lockTicket))
        case .unlock:
            lockTicket += 1
            staleAnswers = 0
            if let lock { deeds.append(.release(lock)) }
            lock = nil
        case .ask(let handle):
            guard let session = catalog[handle], let look else { return }
            deeds.append(.ask(session, look))
        case .answer(let caller, let outcome):
            guard let answer = remove(caller) else { return }
            deeds.append(.answer(answer, result(outcome)))
        case .announce:
            broadcast.tell(state, login: machine.held?.login)
        }
    }

    private func result(_ outcome: SessionMachine.Outcome) -> Result<HeldSession, LatchkeyError> {
        switch outcome {
        case .access(let handle):
            guard let session = catalog[handle] else { return .failure(.notSignedIn) }
            return .success(session)
        case .signedOut: return .failure(.notSignedIn)
        case .overtaken: return .failure(.replaced)
        case .unavailable(let code): return .failure(LatchkeyError(store: failure(code)))
        case .failed: return .failure(refreshFailure ?? .notRefreshed)
        }
    }

    func failure(_ code: SessionStoreError.Code) -> SessionStoreError {
        if let storeFailure, storeFailure.code == code { return storeFailure }
        return SessionStoreError(code, "The store cannot tell.")
    }
}

extension SessionMachine {
    /// Whether a handle may still come up.
    fileprivate func concerns(_ handle: SessionHandle) -> Bool {
        // What is to be removed from the store is found again by its login.
        if held == handle || owed == .login(handle.login) { return true }
        if waiters.contains(where: { $0.need == .fresher(handle) }) { return true }
        return switch refresh {
        case .idle, .locking, .reading: false
        case .asking(let asked, _): asked == handle
        case .saving(let successor): successor == handle
        }
    }
}

extension SessionMachine.Effect {
    fileprivate var isRemoval: Bool {
        if case .remove = self { true } else { false }
    }
}

extension SessionHandle {
    fileprivate func isConcern(of effect: SessionMachine.Effect) -> Bool {
        switch effect {
        case .save(let handle, _, _), .replace(_, let handle, _): self == handle
        case .remove(.login(let login), _): self.login == login
        default: false
        }
    }
}
