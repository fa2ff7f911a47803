package import LatchkeyCore

extension ExploredWorld {
    /// The transition function under test: the shipped one, or a mutant that wraps it.
    package typealias Reducer =
        @Sendable (inout SessionMachine, SessionMachine.Event) -> [SessionMachine.Effect]

    /// The transition function that apps run.
    package static let shipped: Reducer = { $0.reduce($1) }

    /// Applies a step.
    ///
    /// - Parameters:
    ///   - step: One of the world's ``steps``.
    ///   - reducer: The transition function of the processes' state machines.
    /// - Throws: ``ExploredViolation`` if the step violates an invariant.
    package mutating func apply(_ step: ExploredStep, _ reducer: Reducer) throws(ExploredViolation) {
        switch step {
        case .store(let app): try useStore(app)
        case .hear(let app):
            let result = apps[app].results.removeFirst()
            try tell(app, result, reducer)
            if case .read(_, _, .some) = result { apps[app].seenUsed = [] }
        case .news(let app):
            apps[app].hasNews = false
            try tell(app, .changed, reducer)
        case .lock(let app):
            (lockHolder, apps[app].waitsForLock) = (UInt8(app), false)
            try tell(app, .locked, reducer)
        case .overtake(let app):
            ExplorerBounds.spend(&budget.overtakings)
            (apps[app].overtook, apps[app].waitsForLock) = (true, false)
            try tell(app, .locked, reducer)
        case .judge(let app, let index): try judge(app, index)
        case .lose(let app, let index):
            ExplorerBounds.spend(&budget.losses)
            apps[app].questions[index].answer = .failed
        case .receive(let app, let index):
            let question = apps[app].questions.remove(at: index)
            try tell(app, .answered(question.answer ?? .failed, to: question.handle), reducer)
        case .ask(let caller):
            ExplorerBounds.spend(&budget.asks)
            try ask(caller, .any, reducer)
        case .expire(let caller):
            ExplorerBounds.spend(&budget.refreshes)
            guard let held = apps[Int(callerApps[caller])].machine.held else { return }
            try ask(caller, .fresher(held), reducer)
        case .leave(let caller):
            ExplorerBounds.spend(&budget.departures)
            isWaiting[caller] = false
            try tell(Int(callerApps[caller]), .cancelled(UInt32(caller)), reducer)
        case .accept(let app, let login): accept(login, by: app)
        case .admit(let app):
            guard let admission = apps[app].admission else { return }
            apps[app].admission = nil
            try tell(app, .loginSucceeded(.max, admission.handle, signOuts: admission.signOuts), reducer)
        case .amend(let app):
            ExplorerBounds.spend(&budget.amendments)
            guard let held = apps[app].machine.held else { return }
            var amended = held
            lastForm += 1
            amended.form = lastForm
            try tell(app, .amended(held, to: amended), reducer)
        case .signOut(let app):
            ExplorerBounds.spend(&budget.signOuts)
            if let held = apps[app].machine.held { apps[app].left |= 1 << held.login }
            try tell(app, .signedOut, reducer)
        case .revoke(let family):
            ExplorerBounds.spend(&budget.revocations)
            families[family].isLive = false
            if current == UInt32(family) { current = nil }
        case .learn(let app):
            guard let held = apps[app].machine.held else { return }
            apps[app].left |= 1 << held.login
            try tell(app, .ended(held), reducer)
        case .crash(let app): try crash(app, reducer)
        case .mood(let mood):
            if mood != .fine { ExplorerBounds.spend(&budget.moods) }
            self.mood = mood
            // An unlocked store completes the removal of the tombstone.
            if mood == .fine, let record, record.generation <= tombstone { self.record = nil }
        }
    }

    /// Passes an event to a state machine, and performs those effects at once that take no time.
    private mutating func tell(
        _ app: Int,
        _ event: SessionMachine.Event,
        _ reducer: Reducer
    ) throws(ExploredViolation) {
        let before = apps[app].machine
        let effects = reducer(&apps[app].machine, event)
        for effect in effects {
            switch effect {
            case .read, .save, .replace: apps[app].pending.append(effect)
            // Removals run on the thread of their caller, ahead of queued operations.
            case .remove:
                apps[app].pending.insert(effect, at: 0)
                switch event {
                case .signedOut: apps[app].signedOut = true
                case .ended, .answered: apps[app].signedOut = false
                default: break
                }
            case .lock: apps[app].waitsForLock = true
            case .unlock:
                if lockHolder == UInt8(app) { lockHolder = nil }
                (apps[app].waitsForLock, apps[app].overtook) = (false, false)
            case .ask(let handle):
                try checkSingleFlight(app, handle)
                // A process that has not read the store dates its proof at the time of the request.
                let hasLooked = apps[app].seenLook == apps[app].machine.refreshReads
                let seen = hasLooked ? apps[app].used(handle.login) : nil
                let used = seen ?? families[Int(handle.login)].used
                apps[app].questions.append(Question(handle: handle, used: used))
            case .answer(let caller, _):
                guard caller != .max else { continue }
                guard isWaiting[Int(caller)] else { throw .answeredTwice }
                isWaiting[Int(caller)] = false
            case .announce(let truth):
                guard truth == apps[app].machine.status else { throw .toldSomethingElse }
            }
        }
        try check(app, event, before: before)
    }

    private mutating func ask(
        _ caller: Int,
        _ need: SessionMachine.Need,
        _ reducer: Reducer
    ) throws(ExploredViolation) {
        isWaiting[caller] = true
        try tell(Int(callerApps[caller]), .asked(UInt32(caller), need), reducer)
    }

    private mutating func crash(_ app: Int, _ reducer: Reducer) throws(ExploredViolation) {
        ExplorerBounds.spend(&budget.crashes)
        for (number, owner) in callerApps.enumerated() where Int(owner) == app { isWaiting[number] = false }
        if lockHolder == UInt8(app) { lockHolder = nil }
        // Requests that were sent before the crash still reach the server.
        var orphans: [Question] = []
        for question in apps[app].questions where question.answer == nil { orphans.append(question) }
        apps[app] = App()
        for orphan in orphans {
            let wasLive = families[Int(orphan.handle.login)].isLive
            if answer(orphan) == .refused, wasLive { throw .loggedOutByAccident }
        }
        try tell(app, .started, reducer)
    }

    // MARK: The server

    private mutating func judge(_ app: Int, _ index: Int) throws(ExploredViolation) {
        let question = apps[app].questions[index]
        let wasLive = families[Int(question.handle.login)].isLive
        let verdict = answer(question)
        apps[app].questions[index].answer = verdict
        if wasLive, verdict == .refused { throw .loggedOutByAccident }
    }

    /// Returns the server's verdict on a refresh request, and updates the token family.
    private mutating func answer(_ question: Question) -> SessionMachine.Answer {
        let login = Int(question.handle.login)
        let token = question.handle.token
        guard families[login].isLive else { return .refused }
        if token < families[login].used {
            // The token has been rotated. A request from before its successor was used is late, not a theft.
            if question.used <= token { return .stale }
            families[login].isLive = false
            return .refused
        }
        families[login].used = token
        lastAccess += 1
        // The other properties are unchanged since the request.
        var successor = question.handle
        successor.version = SessionHandle.version(token: token + 1, access: lastAccess)
        return .granted(successor)
    }

    private mutating func accept(_ login: ExploredStep.Login, by app: Int) {
        if login == .opaque {
            ExplorerBounds.spend(&budget.opaqueLogins)
        } else {
            ExplorerBounds.spend(&budget.logins)
        }
        (lastAccess, lastForm) = (lastAccess + 1, lastForm + 1)
        let handle = SessionHandle(
            login: UInt32(families.count),
            version: SessionHandle.version(token: 1, access: lastAccess),
            form: lastForm,
            isPair: login != .opaque,
            isComplete: login != .incomplete
        )
        families.append(Family())
        apps[app].admission = Admission(handle: handle, signOuts: apps[app].machine.signOuts)
    }
}

extension SessionHandle {
    /// Combines the numbers of a token and an access; both must be less than 65 536.
    static func version(token: UInt32, access: UInt32) -> UInt32 {
        token * 65_536 + access
    }

    /// The number of the token in its family.
    var token: UInt32 { version / 65_536 }
}
