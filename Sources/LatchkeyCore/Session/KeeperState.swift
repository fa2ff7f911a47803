import LatchkeyModel

/// The keeper's mutable state, protected by a lock.
///
/// The state consists of the state machine and the sessions that its handles refer to.
struct KeeperState: Sendable {
    typealias Caller = SessionMachine.Caller
    /// A callback that receives the result of a caller's request.
    ///
    /// Callbacks are called once, without holding the lock.
    typealias Answer = @Sendable (Result<HeldSession, LatchkeyError>) -> Void

    /// An action that is performed after the lock is released.
    enum SideEffect: Sendable {
        /// Perform the first pending store operation.
        case performStoreOperation
        /// Wait for the refresh lock. The wait is obsolete if ``lockTicket`` no longer equals this ticket.
        case waitForLock(UInt64)
        case releaseLock(HeldRefreshLock)
        /// Request new tokens for a session. The time and nonce for the DPoP proof are taken from the given
        /// context.
        case requestTokens(HeldSession, TokenRenewal.ProofContext)
        /// Return the result to a caller that is waiting for it.
        case answer(Answer, Result<HeldSession, LatchkeyError>)
        /// Remove the key of a login that ended or was replaced.
        case removeKey(StoredKey)
        /// Remove the side records of a login that ended or was replaced.
        case removeSideRecords(of: LoginID)
        case writeJournal
        /// Start or stop reading the store periodically. If several `retry` actions are performed out of
        /// order, the one with the highest ticket takes effect.
        case retry(UInt64, isDue: Bool)
    }

    /// The state machine that makes all decisions about the session.
    ///
    /// The other properties support the operations that the machine requests.
    var machine = SessionMachine()
    var catalog: SessionCatalog
    var broadcast = SessionBroadcast()
    /// Callbacks for every change of the session and every sign-out.
    var followers: [@Sendable (SessionChange) -> Void] = []

    /// Called with the credential of a login that has ended on this device.
    ///
    /// The lock is held during the call, so the closure should only store the credential.
    var whenLoginEnds: (@Sendable (StoredCredential) -> Void)?

    /// The pending store operations, in the order they will be performed.
    private(set) var operations: [SessionMachine.Effect] = []
    /// The store operation in progress, if any.
    ///
    /// The operation's session must not be removed from the catalog.
    private var operation: SessionMachine.Effect?
    /// The callbacks for waiting callers.
    ///
    /// A callback is removed when its caller receives a result or is cancelled.
    private var callers: [Caller: Answer] = [:]
    private var callerCount: Caller = 0
    /// The callers whose logins are only stored in the memory of this process.
    private(set) var processLogins: Set<Caller> = []

    /// Whether we need to call `store.completeRemoval()`, because a sign-out has started to remove the
    /// record.
    var isErasureDue = false

    /// The error from the most recent failed read or write.
    var storeFailure: SessionStoreError?
    /// The error from the most recent failed removal, which may have left a record in the store.
    var removalFailure: SessionStoreError?

    /// The most recent store error that was recorded in the journal, or `nil` if the store has been read
    /// successfully since.
    var unavailability: SessionStoreError.Code?
    /// A sentence for the journal that says why the session ended.
    var endReason = ""
    /// The journal entries that still have to be written.
    var entries: [JournalEntry] = []

    /// The error from the most recent failed refresh.
    var refreshFailure: LatchkeyError?
    /// The number of refresh requests in a row that the server has rejected as stale.
    var staleAnswers = 0
    /// The time and the nonce for a refresh's proof, which were recorded before the refresh read the store.
    var proofContext: TokenRenewal.ProofContext?
    /// The number of times that the refresh lock has been requested or released.
    ///
    /// If a wait for the lock began with a lower number, its result is ignored.
    private(set) var lockTicket: UInt64 = 0
    /// The refresh lock, or `nil` if this process doesn't hold it because it isn't needed or waiting for it
    /// timed out.
    var lock: HeldRefreshLock?

    /// Closures that cancel the login attempts in progress, keyed by attempt number.
    var attempts: [UInt64: @Sendable () -> Void] = [:]
    /// The number of login attempts.
    var attemptCount: UInt64 = 0
    /// The number of the most recent attempt that a caller waits for.
    var mostRecentAttempt: UInt64 = 0
    var isRenewing = false

    /// Whether the store is being read periodically.
    ///
    /// `retryTicket` is incremented whenever this value changes.
    private var isRetrying = false
    private var retryTicket: UInt64 = 0

    init(_ credential: Credential, catalogLimit: Int = SessionCatalog.limit) {
        catalog = SessionCatalog(credential, limit: catalogLimit)
    }

    /// The state that the app sees.
    ///
    /// This includes the full store error, because the machine only stores the error's code.
    var sessionState: SessionState {
        switch machine.status {
        case .unread: .unavailable(.notReadYet)
        case .unavailable(let code): .unavailable(.store(failure(code)))
        case .absent: .signedOut
        case .present: held.map { .signedIn($0.stored.session) } ?? .signedOut
        }
    }

    /// The current session, or `nil` if no user is logged in or the store hasn't been read.
    var held: HeldSession? {
        machine.held.flatMap { catalog[$0] }
    }

    /// Returns the session if a caller can receive it immediately, or `nil` if the caller has to wait.
    func session(serving need: SessionMachine.Need) -> HeldSession? {
        machine.serving(need).flatMap { catalog[$0] }
    }

    /// Stores a callback and returns a number that identifies the caller to the machine.
    ///
    /// - Parameters:
    ///   - persistence: Where to store the session if the caller is logging in.
    ///   - answer: The callback.
    /// - Returns: The caller's number.
    mutating func add(persistence: Persistence = .device, _ answer: @escaping Answer) -> Caller {
        callerCount &+= 1
        callers[callerCount] = answer
        if persistence == .memory { processLogins.insert(callerCount) }
        return callerCount
    }

    /// Removes a caller that is no longer waiting.
    ///
    /// - Parameter caller: The caller's number.
    /// - Returns: The callback, or `nil` if the caller has already received a result.
    mutating func remove(_ caller: Caller) -> Answer? {
        processLogins.remove(caller)
        return callers.removeValue(forKey: caller)
    }

    /// Removes the first pending store operation, marks it as being in progress, and returns it.
    mutating func nextOperation() -> SessionMachine.Effect? {
        guard !operations.isEmpty else { return nil }
        operation = operations.removeFirst()
        return operation
    }

    /// Removes all pending removals, including those from earlier epochs, and returns the most recent one.
    mutating func takeRemoval() -> SessionMachine.Effect? {
        let removal = operations.first { $0.isRemoval }
        operations.removeAll { $0.isRemoval }
        return removal
    }

    /// Returns whether a removal needs to be completed, and resets the flag.
    mutating func takeErasure() -> Bool {
        defer { isErasureDue = false }
        return isErasureDue
    }

    /// Records that the current store operation has ended.
    mutating func endOperation() {
        operation = nil
    }

    /// Sends an event to the machine.
    ///
    /// The event is also recorded in the journal, and sessions that are no longer needed are removed from the
    /// catalog.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - time: The current time, used for the journal entry.
    /// - Returns: The actions to perform after the lock has been released, in the order in which to perform
    ///   them.
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
            // The key is removed before any caller continues, because the process may exit right afterwards.
            sideEffects.insert(.removeKey(former.stored.key), at: 0)
        }
        // After a sign-out, these side records are removed together with the session record.
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

    /// Applies an effect to this state, and adds any actions that must be performed without holding the lock.
    private mutating func act(on effect: SessionMachine.Effect, _ sideEffects: inout [SideEffect]) {
        switch effect {
        case .read(_, nil) where operations.contains(effect):
            // Another read is already pending and will return the same data.
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

    /// Converts an outcome of the state machine to the result that is returned to the caller.
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

    /// Returns the store's most recent error if that error has the given code, or an error with a generic
    /// message otherwise.
    func failure(_ code: SessionStoreError.Code) -> SessionStoreError {
        if let storeFailure, storeFailure.code == code { return storeFailure }
        return SessionStoreError(code, message: "The session store cannot be read.")
    }
}

extension SessionMachine {
    /// Returns whether the machine might still use a session, which is identified by its handle.
    fileprivate func concerns(_ handle: SessionHandle) -> Bool {
        // A pending removal identifies its record by the login number.
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
    /// Whether this event ends a login only on this device, so that the login may still be valid on the
    /// server.
    ///
    /// A login ends only on this device if the user signs out or if another login in this process replaces
    /// it.
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
    /// Returns whether a store operation needs the session that this handle refers to.
    fileprivate func isConcern(of effect: SessionMachine.Effect) -> Bool {
        switch effect {
        case .save(let handle, _, _), .replace(_, let handle, _): self == handle
        case .remove(.login(let login), _): self.login == login
        default: false
        }
    }
}
