import LatchkeyModel

/// The keeper's mutable state, guarded by one lock: the state machine and the sessions behind its handles.
struct KeeperState: Sendable {
    typealias Caller = SessionMachine.Caller
    /// A callback that receives the result of a caller's request; called once, without holding the lock.
    typealias Answer = @Sendable (Result<HeldSession, LatchkeyError>) -> Void

    /// An action to perform after the lock is released.
    enum SideEffect: Sendable {
        /// Perform the first of the pending store operations.
        case performStoreOperation
        /// Wait for the refresh lock; the wait is obsolete once ``lockTicket`` differs from this ticket.
        case waitForLock(UInt64)
        /// Release the refresh lock.
        case releaseLock(HeldRefreshLock)
        /// Request new tokens for a session; the DPoP proof contains the time and nonce from the given
        /// context.
        case requestTokens(HeldSession, TokenRenewal.ProofContext)
        /// Call the callback of a waiting caller.
        case answer(Answer, Result<HeldSession, LatchkeyError>)
        /// Remove the key of a login that was replaced or ended.
        case removeKey(StoredKey)
        /// Remove the side records of a login that was replaced or ended.
        case removeSideRecords(of: LoginID)
        /// Write the pending journal entries.
        case writeJournal
        /// Start or stop reading the store periodically; the decision with the highest ticket wins.
        case retry(UInt64, isDue: Bool)
    }

    /// The state machine, which makes all decisions about the session; the other properties are used to carry
    /// them out.
    var machine = SessionMachine()
    var catalog: SessionCatalog
    var broadcast = SessionBroadcast()
    /// The followers of every change and every sign-out.
    var followers: [@Sendable (SessionChange) -> Void] = []

    /// Called under the lock with the credential of a login that has ended on this device; must only record it.
    var whenLoginEnds: (@Sendable (StoredCredential) -> Void)?

    /// The pending store operations, in the order in which they are performed.
    private(set) var operations: [SessionMachine.Effect] = []
    /// The store operation in progress; its session must remain in the catalog.
    private var operation: SessionMachine.Effect?
    /// The waiting callers' callbacks; each is removed when its caller is answered or cancelled.
    private var callers: [Caller: Answer] = [:]
    private var callerCount: Caller = 0
    /// The callers whose logins only this process stores.
    private(set) var processLogins: Set<Caller> = []

    /// Whether `store.completeRemoval()` must be called, because a sign-out has only begun the removal.
    var isErasureDue = false

    /// The error of the last failed read or write of the store.
    var storeFailure: SessionStoreError?
    /// The error of the last failed removal, which may have left a record in the store.
    var removalFailure: SessionStoreError?

    /// The last store error code that was recorded in the journal; `nil` after a successful read.
    var unavailability: SessionStoreError.Code?
    /// The server's reason for ending the session, as a sentence for the journal.
    var endReason = ""
    /// The entries that have not yet been written to the journal.
    var entries: [JournalEntry] = []

    /// The error of the last failed refresh.
    var refreshFailure: LatchkeyError?
    /// The number of consecutive refresh requests that the server rejected as stale.
    var staleAnswers = 0
    /// The time and nonce captured before the last read of the store for a refresh.
    var proofContext: TokenRenewal.ProofContext?
    /// The number of requests and releases of the refresh lock so far; a wait with a lower ticket is
    /// obsolete.
    private(set) var lockTicket: UInt64 = 0
    /// The refresh lock, while this process holds it; also `nil` if the wait for it timed out.
    var lock: HeldRefreshLock?

    /// The functions that cancel the running login attempts, keyed by attempt number.
    var attempts: [UInt64: @Sendable () -> Void] = [:]
    /// The number of the newest login attempt.
    var attemptCount: UInt64 = 0
    /// Whether a renewal of the certificate is running.
    var isRenewing = false

    /// Whether the store is read periodically, and how many times this has changed.
    private var isRetrying = false
    private var retryTicket: UInt64 = 0

    init(_ credential: Credential, catalogLimit: Int = SessionCatalog.limit) {
        catalog = SessionCatalog(credential, limit: catalogLimit)
    }

    /// The state as the app sees it, with the full store error; the machine has only the error's code.
    var sessionState: SessionState {
        switch machine.status {
        case .unread: .unavailable(.notReadYet)
        case .unavailable(let code): .unavailable(.store(failure(code)))
        case .absent: .signedOut
        case .present: held.map { .signedIn($0.stored.session) } ?? .signedOut
        }
    }

    /// The current session, or `nil` if there is none or the store has not been read.
    var held: HeldSession? {
        machine.held.flatMap { catalog[$0] }
    }

    /// Returns the session to give to a caller immediately, or `nil` if the caller has to wait.
    func session(serving need: SessionMachine.Need) -> HeldSession? {
        machine.serving(need).flatMap { catalog[$0] }
    }

    /// Registers a callback and returns the number that identifies the caller to the machine.
    ///
    /// - Parameters:
    ///   - persistence: Where to store the login, if the caller has logged in.
    ///   - answer: The callback.
    /// - Returns: The number.
    mutating func add(persistence: Persistence = .device, _ answer: @escaping Answer) -> Caller {
        callerCount &+= 1
        callers[callerCount] = answer
        if persistence == .process { processLogins.insert(callerCount) }
        return callerCount
    }

    /// Removes a caller that is no longer waiting.
    ///
    /// - Parameter caller: The number of the caller.
    /// - Returns: The callback, or `nil` if the caller has already been answered.
    mutating func remove(_ caller: Caller) -> Answer? {
        processLogins.remove(caller)
        return callers.removeValue(forKey: caller)
    }

    /// Removes the first pending store operation, marks it as in progress, and returns it.
    mutating func nextOperation() -> SessionMachine.Effect? {
        guard !operations.isEmpty else { return nil }
        operation = operations.removeFirst()
        return operation
    }

    /// Takes all pending removals off the list, including those of earlier epochs, and returns the newest.
    mutating func takeRemoval() -> SessionMachine.Effect? {
        let removal = operations.first { $0.isRemoval }
        operations.removeAll { $0.isRemoval }
        return removal
    }

    /// Returns whether a removal must be completed, and resets the flag.
    mutating func takeErasure() -> Bool {
        defer { isErasureDue = false }
        return isErasureDue
    }

    /// Marks the store operation in progress as completed.
    mutating func endOperation() {
        operation = nil
    }

    /// Passes an event to the machine.
    ///
    /// Also records the event in the journal, and removes unneeded sessions from the catalog.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - time: The current time, for the journal entry.
    /// - Returns: The actions to perform, in this order, after the lock is released.
    mutating func reduce(_ event: SessionMachine.Event, at time: Timestamp) -> [SideEffect] {
        let (former, before) = (held, MachineSnapshot(machine))
        let effects = machine.reduce(event)
        var sideEffects: [SideEffect] = []
        if let entry = entry(for: event, after: before, at: time) {
            entries.append(entry)
            sideEffects.append(.writeJournal)
        }
        for effect in effects { act(on: effect, &sideEffects) }
        let present = held
        if let former, former.handle.login != present?.handle.login, former.stored.key != present?.stored.key
        {
            sideEffects.append(.removeKey(former.stored.key))
        }
        // A sign-out removes all side records that end with it together with the record.
        if let former, former.stored.login != present?.stored.login, event != .signedOut {
            sideEffects.append(.removeSideRecords(of: former.stored.login))
        }
        if let former, former.stored.login != present?.stored.login, event.endsLoginOnDevice {
            whenLoginEnds?(former.stored.credential)
        }
        let isUnavailable = if case .unavailable = machine.status { true } else { false }
        if isUnavailable != isRetrying {
            isRetrying = isUnavailable
            retryTicket += 1
            sideEffects.append(.retry(retryTicket, isDue: isUnavailable))
        }
        catalog.forget { [machine, operations, operation] in
            machine.concerns($0) || operations.contains(where: $0.isConcern(of:))
                || operation.map($0.isConcern(of:)) == true
        }
        return sideEffects
    }

    /// Applies an effect of the machine to this state, and appends the actions that must run without the
    /// lock.
    private mutating func act(on effect: SessionMachine.Effect, _ sideEffects: inout [SideEffect]) {
        switch effect {
        case .read(_, nil) where operations.contains(effect):
            // The read that is already pending will return the same data as this one would.
            sideEffects.append(.performStoreOperation)
        case .read, .save, .replace:
            operations.append(effect)
            sideEffects.append(.performStoreOperation)
        case .remove:
            operations.insert(effect, at: 0)
            sideEffects.append(.performStoreOperation)
        case .lock:
            lockTicket += 1
            sideEffects.append(.waitForLock(lockTicket))
        case .unlock:
            lockTicket += 1
            staleAnswers = 0
            if let lock { sideEffects.append(.releaseLock(lock)) }
            lock = nil
        case .ask(let handle):
            guard let session = catalog[handle], let proofContext else { return }
            sideEffects.append(.requestTokens(session, proofContext))
        case .answer(let caller, let outcome):
            guard let answer = remove(caller) else { return }
            sideEffects.append(.answer(answer, result(outcome)))
        case .announce:
            broadcast.publish(sessionState, login: machine.held?.login)
            for follower in followers { follower(.state(sessionState, login: machine.held?.login)) }
        }
    }

    /// Returns the result for a caller, with the session or error that an outcome of the machine refers to.
    private func result(_ outcome: SessionMachine.Outcome) -> Result<HeldSession, LatchkeyError> {
        switch outcome {
        case .access(let handle):
            guard let session = catalog[handle] else { return .failure(.notSignedIn) }
            return .success(session)
        case .signedOut: return .failure(.notSignedIn)
        case .superseded: return .failure(.replaced)
        case .unavailable(let code): return .failure(LatchkeyError(store: failure(code)))
        case .failed: return .failure(refreshFailure ?? .notRefreshed)
        }
    }

    /// Returns the store's last error if it has this code, otherwise an error with a generic message.
    func failure(_ code: SessionStoreError.Code) -> SessionStoreError {
        if let storeFailure, storeFailure.code == code { return storeFailure }
        return SessionStoreError(code, message: "The session store cannot be read.")
    }
}

extension SessionMachine {
    /// Returns whether a later decision may still refer to a handle.
    fileprivate func concerns(_ handle: SessionHandle) -> Bool {
        // A pending removal identifies the record by its login number.
        if held == handle || pendingRemoval == .login(handle.login) { return true }
        if waiters.contains(where: { $0.need == .fresher(handle) }) { return true }
        return switch refresh {
        case .idle, .locking, .reading: false
        case .asking(let asked, _): asked == handle
        case .saving(let successor): successor == handle
        }
    }
}

extension SessionMachine.Event {
    /// Whether a login that ends with this event may still be valid at the server: after a sign-out, or when
    /// another login of this process has replaced it.
    fileprivate var endsLoginOnDevice: Bool {
        switch self {
        case .signedOut, .replaced: true
        default: false
        }
    }
}

extension SessionMachine.Effect {
    fileprivate var isRemoval: Bool {
        if case .remove = self { true } else { false }
    }
}

extension SessionHandle {
    /// Returns whether a store operation needs the session of this handle.
    fileprivate func isConcern(of effect: SessionMachine.Effect) -> Bool {
        switch effect {
        case .save(let handle, _, _), .replace(_, let handle, _): self == handle
        case .remove(.login(let login), _): self.login == login
        default: false
        }
    }
}
