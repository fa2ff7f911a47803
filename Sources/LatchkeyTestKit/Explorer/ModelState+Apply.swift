package import LatchkeyCore

extension ModelState {
    /// The transition function under test, which is either the production function or a mutant that wraps it.
    package typealias Reducer =
        @Sendable (inout SessionMachine, SessionMachine.Event) -> [SessionMachine.Effect]

    /// The transition function that production code uses.
    package static let shipped: Reducer = { $0.reduce($1) }

    /// Applies a step to the state.
    ///
    /// Immediate effects are performed as part of the step, and the machine's other effects are added to
    /// ``Process/pending``. Afterwards, call ``check()`` to check the invariants that concern all processes.
    ///
    /// A step that is not in ``steps`` may trap. If an error is thrown, the state is unspecified and must be
    /// discarded.
    ///
    /// - Parameters:
    ///   - step: One of the state's ``steps``.
    ///   - reducer: The transition function that the processes' state machines use.
    /// - Throws: ``InvariantViolation`` if the step violates an invariant.
    package mutating func apply(_ step: ModelStep, with reducer: Reducer) throws(InvariantViolation) {
        switch step {
        case .performStoreOperation(let process): try performStoreOperation(of: process)
        case .receiveStoreResult(let process):
            let result = processes[process].results.removeFirst()
            try send(result, to: process, reducer: reducer)
            if case .read(_, _, .some) = result { processes[process].usedAtRead = [] }
        case .receiveChange(let process):
            processes[process].hasPendingChange = false
            try send(.changed, to: process, reducer: reducer)
        case .acquireLock(let process):
            (lockHolder, processes[process].waitsForLock) = (UInt8(process), false)
            try send(.locked, to: process, reducer: reducer)
        case .proceedWithoutLock(let process):
            ExplorerBounds.decrement(&budget.lockTimeouts)
            (processes[process].proceedsWithoutLock, processes[process].waitsForLock) = (true, false)
            try send(.locked, to: process, reducer: reducer)
        case .answerRequest(let process, let index): try answerRequest(index, of: process)
        case .loseRequest(let process, let index):
            ExplorerBounds.decrement(&budget.losses)
            processes[process].requests[index].answer = .failed
        case .receiveResponse(let process, let index):
            let request = processes[process].requests.remove(at: index)
            try send(.answered(request.answer ?? .failed, to: request.handle), to: process, reducer: reducer)
        case .requestAccess(let caller):
            ExplorerBounds.decrement(&budget.requests)
            try requestAccess(.any, by: caller, reducer: reducer)
        case .requestFresherAccess(let caller):
            ExplorerBounds.decrement(&budget.refreshes)
            guard let held = processes[Int(callerProcesses[caller])].machine.held else { return }
            try requestAccess(.fresher(held), by: caller, reducer: reducer)
        case .cancelRequest(let caller):
            ExplorerBounds.decrement(&budget.cancellations)
            isWaiting[caller] = false
            try send(.cancelled(UInt32(caller)), to: Int(callerProcesses[caller]), reducer: reducer)
        case .acceptLogin(let process, let login): accept(login, by: process)
        case .completeLogin(let process):
            guard let acceptedLogin = processes[process].acceptedLogin else { return }
            processes[process].acceptedLogin = nil
            try send(
                .loginSucceeded(.max, acceptedLogin.handle, signOuts: acceptedLogin.signOuts),
                to: process,
                reducer: reducer
            )
        case .changeSession(let process):
            ExplorerBounds.decrement(&budget.sessionChanges)
            guard let held = processes[process].machine.held else { return }
            var amended = held
            lastForm += 1
            amended.form = lastForm
            try send(.amended(held, to: amended), to: process, reducer: reducer)
        case .signOut(let process):
            ExplorerBounds.decrement(&budget.signOuts)
            if let held = processes[process].machine.held {
                processes[process].endedLogins |= 1 << held.login
            }
            try send(.signedOut, to: process, reducer: reducer)
        case .revokeLogin(let family):
            ExplorerBounds.decrement(&budget.revocations)
            families[family].isLive = false
            if current == UInt32(family) { current = nil }
        case .learnOfRevocation(let process):
            guard let held = processes[process].machine.held else { return }
            processes[process].endedLogins |= 1 << held.login
            try send(.ended(held), to: process, reducer: reducer)
        case .crash(let process): try crash(process, reducer: reducer)
        case .setStoreCondition(let storeCondition):
            if storeCondition != .available { ExplorerBounds.decrement(&budget.storeFailures) }
            self.storeCondition = storeCondition
            // Once the store is unlocked, a record that is marked by a tombstone is removed.
            if storeCondition == .available, let record, record.generation <= tombstone { self.record = nil }
        }
    }

    /// Passes an event to a state machine, and performs those effects that are not steps of their own.
    private mutating func send(
        _ event: SessionMachine.Event,
        to process: Int,
        reducer: Reducer
    ) throws(InvariantViolation) {
        let before = processes[process].machine
        let effects = reducer(&processes[process].machine, event)
        for effect in effects {
            switch effect {
            case .read, .save, .replace: processes[process].pending.append(effect)
            // Removals run on the caller's thread, ahead of queued operations.
            case .remove:
                processes[process].pending.insert(effect, at: 0)
                switch event {
                case .signedOut: processes[process].signedOut = true
                case .ended, .answered: processes[process].signedOut = false
                default: break
                }
            case .lock: processes[process].waitsForLock = true
            case .unlock:
                if lockHolder == UInt8(process) { lockHolder = nil }
                (processes[process].waitsForLock, processes[process].proceedsWithoutLock) = (false, false)
            case .ask(let handle):
                try checkSingleFlight(of: handle, by: process)
                // If the process hasn't read the store, the proof is dated when the request is sent.
                let hasRead = processes[process].readNumber == processes[process].machine.refreshReads
                let seen = hasRead ? processes[process].used(handle.login) : nil
                let used = seen ?? families[Int(handle.login)].used
                processes[process].requests.append(RefreshRequest(handle: handle, used: used))
            case .answer(let caller, _):
                guard caller != .max else { continue }
                guard isWaiting[Int(caller)] else { throw .answeredTwice }
                isWaiting[Int(caller)] = false
            case .announce(let truth):
                guard truth == processes[process].machine.status else { throw .announcedWrongStatus }
            }
        }
        try check(process, after: event, before: before)
    }

    /// Marks a caller as waiting before the machine receives the event, because the machine may answer
    /// immediately.
    private mutating func requestAccess(
        _ need: SessionMachine.Need,
        by caller: Int,
        reducer: Reducer
    ) throws(InvariantViolation) {
        isWaiting[caller] = true
        try send(.asked(UInt32(caller), need), to: Int(callerProcesses[caller]), reducer: reducer)
    }

    /// Restarts a process.
    ///
    /// The process's callers stop waiting, its lock is released, and results that it hasn't received are
    /// discarded. Requests that haven't been answered yet still reach the server, but their responses are
    /// lost. The process no longer knows which logins have ended.
    ///
    /// - Throws: ``InvariantViolation/loggedOutUnexpectedly`` if the server rejects one of these requests
    ///   even though its login was valid, or another ``InvariantViolation`` that the restarted process
    ///   causes.
    private mutating func crash(_ process: Int, reducer: Reducer) throws(InvariantViolation) {
        ExplorerBounds.decrement(&budget.crashes)
        for (number, owner) in callerProcesses.enumerated() where Int(owner) == process {
            isWaiting[number] = false
        }
        if lockHolder == UInt8(process) { lockHolder = nil }
        // Requests that were sent before the crash still reach the server.
        var orphans: [RefreshRequest] = []
        for request in processes[process].requests where request.answer == nil { orphans.append(request) }
        processes[process] = Process()
        for orphan in orphans {
            let wasLive = families[Int(orphan.handle.login)].isLive
            if answer(orphan) == .refused, wasLive { throw .loggedOutUnexpectedly }
        }
        try send(.started, to: process, reducer: reducer)
    }

    // MARK: The server

    /// Stores the server's response in the request.
    ///
    /// The process can receive the response in a later step.
    ///
    /// - Throws: ``InvariantViolation/loggedOutUnexpectedly`` if the request ends a login that was valid
    ///   until then.
    private mutating func answerRequest(_ index: Int, of process: Int) throws(InvariantViolation) {
        let request = processes[process].requests[index]
        let wasLive = families[Int(request.handle.login)].isLive
        let verdict = answer(request)
        processes[process].requests[index].answer = verdict
        if wasLive, verdict == .refused { throw .loggedOutUnexpectedly }
    }

    /// Returns the server's response to a refresh request and updates the token family.
    private mutating func answer(_ request: RefreshRequest) -> SessionMachine.Answer {
        let login = Int(request.handle.login)
        let token = request.handle.token
        guard families[login].isLive else { return .refused }
        if token < families[login].used {
            // The token has already been rotated. If the request was created before the successor was first
            // used, it is merely late, not evidence of theft.
            if request.used <= token { return .stale }
            families[login].isLive = false
            return .refused
        }
        families[login].used = token
        lastAccess += 1
        // The other properties haven't changed since the request.
        var successor = request.handle
        successor.version = SessionHandle.version(token: token + 1, access: lastAccess)
        return .granted(successor)
    }

    /// Issues the credentials for a new login, and stores them with the current number of sign-outs.
    ///
    /// The login gets the next free number and the first token of a new family.
    private mutating func accept(_ login: ModelStep.Login, by process: Int) {
        if login == .opaque {
            ExplorerBounds.decrement(&budget.opaqueLogins)
        } else {
            ExplorerBounds.decrement(&budget.logins)
        }
        (lastAccess, lastForm) = (lastAccess + 1, lastForm + 1)
        let handle = SessionHandle(
            login: UInt32(families.count),
            version: SessionHandle.version(token: 1, access: lastAccess),
            form: lastForm,
            isPair: login != .opaque,
            isComplete: login != .incomplete
        )
        families.append(TokenFamily())
        processes[process].acceptedLogin = AcceptedLogin(
            handle: handle,
            signOuts: processes[process].machine.signOuts
        )
    }
}

extension SessionHandle {
    /// Encodes the number of a refresh token and the number of an access token as a single version number.
    ///
    /// Both numbers must be less than 65,536.
    static func version(token: UInt32, access: UInt32) -> UInt32 {
        token * 65_536 + access
    }

    /// The number of the refresh token within the token family.
    var token: UInt32 { version / 65_536 }
}
