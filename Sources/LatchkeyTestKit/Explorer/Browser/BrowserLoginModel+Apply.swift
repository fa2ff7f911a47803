import LatchkeyCore

extension BrowserLoginModel {
    /// The steps that are possible in this state.
    package var steps: [BrowserLoginStep] {
        var steps: [BrowserLoginStep] = []
        for (number, process) in processes.enumerated() {
            guard process.isAlive else {
                steps.append(.restart(process: number))
                continue
            }
            if let login = logins.firstIndex(where: { !$0.hasBegun }), !isHandingOver(process) {
                steps.append(.begin(process: number, login: login))
                if budget.handOffs > 0, process.visiting == 0, !process.isAwaited {
                    steps.append(.handOff(process: number, login: login))
                }
            }
            if budget.dismissals > 0, isHandingOver(process) || isCompletingHandOff(process) {
                steps.append(.dismiss(process: number))
            }
            if budget.requests > 0 {
                for (login, state) in logins.enumerated() where state.isAnswered {
                    steps.append(.deliver(process: number, login: login))
                }
            }
            if canProceed(process) {
                steps.append(.proceed(process: number))
                if budget.losses > 0, process.phase.isRequest { steps.append(.lose(process: number)) }
            }
            if !process.isSettled, process.completing == 0 { steps.append(.settle(process: number)) }
            if budget.otherLogins > 0 { steps.append(.logInOtherwise(process: number)) }
            if budget.signOuts > 0 { steps.append(.signOut(process: number)) }
            if budget.crashes > 0 { steps.append(.crash(process: number)) }
        }
        for (number, login) in logins.enumerated() {
            if isAnswerable(login) {
                steps.append(.answer(login: number))
                if login.isHandedOver, budget.refusals > 0 { steps.append(.refuse(login: number)) }
            }
            if login.withdrawal == .sent { steps.append(.withdraw(login: number)) }
            if budget.expiries > 0, login.stage != .none, !login.isExpired {
                steps.append(.expire(login: number))
            }
            if login.revocation != .none { steps.append(.revoke(login: number)) }
        }
        return steps
    }

    /// Whether the user can answer a login, for which the server has a request.
    private func isAnswerable(_ login: Login) -> Bool {
        guard login.hasBegun, !login.isAnswered else { return false }
        return !login.isHandedOver || !login.isExpired && login.withdrawal != .done
    }

    private func isHandingOver(_ process: Process) -> Bool {
        process.visiting != 0 && logins[Int(process.visiting) - 1].isHandedOver
    }

    private func isCompletingHandOff(_ process: Process) -> Bool {
        process.completing != 0 && process.isAwaited && logins[Int(process.completing) - 1].isHandedOver
    }

    private func canProceed(_ process: Process) -> Bool {
        switch process.phase {
        case .idle: false
        case .locking: lockHolder == 0
        default: true
        }
    }

    package mutating func apply(
        _ step: BrowserLoginStep,
        with reducer: BrowserLoginReducer
    ) throws(BrowserLoginViolation) {
        switch step {
        case .begin(let process, let login): begin(login, in: process, with: reducer)
        case .handOff(let process, let login): handOff(login, in: process, with: reducer)
        case .answer(let login):
            if logins[login].isDismissed, logins[login].withdrawal == .none { throw .misled }
            logins[login].isAnswered = true
        case .refuse(let login):
            spend(\.refusals)
            (logins[login].isAnswered, logins[login].isRefused) = (true, true)
        case .dismiss(let process): dismiss(in: process, with: reducer)
        case .withdraw(let login): (logins[login].withdrawal, logins[login].withdrawing) = (.done, 0)
        case .expire(let login): expire(login)
        case .deliver(let process, let login): try deliver(login, to: process, with: reducer)
        case .proceed(let process): try proceed(process, isLost: false, with: reducer)
        case .lose(let process):
            spend(\.losses)
            try proceed(process, isLost: true, with: reducer)
        case .settle(let process): settle(process, with: reducer)
        case .revoke(let login): try revoke(login)
        case .logInOtherwise(let process):
            spend(\.otherLogins)
            endAttempts(of: process, with: reducer)
            replaceSession(with: Self.otherSession)
        case .signOut(let process): signOut(in: process, with: reducer)
        case .crash(let process):
            spend(\.crashes)
            processes[process] = Process(isAlive: false)
            for number in logins.indices where Int(logins[number].withdrawing) == process + 1 {
                (logins[number].withdrawal, logins[number].withdrawing) = (.lost, 0)
            }
            if Int(lockHolder) == process + 1 { lockHolder = 0 }
        case .restart(let process): processes[process] = Process()
        }
    }

    // MARK: The user

    private mutating func begin(_ login: Int, in process: Int, with reducer: BrowserLoginReducer) {
        endAttempts(of: process, with: reducer)
        open(login, in: process)
    }

    private mutating func open(_ login: Int, in process: Int) {
        logins[login].hasBegun = true
        logins[login].stage = .waiting
        logins[login].former = held
        processes[process].visiting = UInt8(login + 1)
    }

    /// Hands a login over to another app, which isn't an attempt until the answer arrives.
    private mutating func handOff(_ login: Int, in process: Int, with reducer: BrowserLoginReducer) {
        spend(\.handOffs)
        for number in logins.indices where logins[number].stage == .waiting {
            logins[number].isOutdated = true
            if reducer.replacesWaiting { logins[number].stage = .none }
        }
        open(login, in: process)
        logins[login].isHandedOver = true
    }

    private mutating func dismiss(in process: Int, with reducer: BrowserLoginReducer) {
        spend(\.dismissals)
        guard isHandingOver(processes[process]) else {
            // The answer has arrived, and the dismissal ends the attempt.
            processes[process].isVoid = true
            return
        }
        let login = Int(processes[process].visiting) - 1
        logins[login].isDismissed = true
        endVisit(of: process, with: reducer)
    }

    /// Ends the visit of a process, and withdraws its request.
    private mutating func endVisit(of process: Int, with reducer: BrowserLoginReducer) {
        let login = Int(processes[process].visiting) - 1
        processes[process].visiting = 0
        if logins[login].isHandedOver {
            logins[login].isOutdated = true
            if reducer.withdraws {
                (logins[login].withdrawal, logins[login].withdrawing) = (.sent, UInt8(process + 1))
            }
            if !reducer.forgetsDismissed { return }
        }
        if logins[login].stage == .waiting { logins[login].stage = .none }
    }

    private mutating func expire(_ login: Int) {
        spend(\.expiries)
        logins[login].isExpired = true
        // The process that waits for the answer has a timer. The others notice the expiry when they read the login.
        for number in processes.indices where Int(processes[number].visiting) == login + 1 {
            processes[number].visiting = 0
            if logins[login].stage == .waiting { logins[login].stage = .none }
        }
    }

    /// Ends the attempts of a process, because a newer one begins or the user signs out.
    private mutating func endAttempts(of process: Int, with reducer: BrowserLoginReducer) {
        if processes[process].visiting != 0 { endVisit(of: process, with: reducer) }
        if processes[process].completing != 0 { processes[process].isVoid = true }
    }

    private mutating func signOut(in process: Int, with reducer: BrowserLoginReducer) {
        spend(\.signOuts)
        endAttempts(of: process, with: reducer)
        replaceSession(with: 0)
        for number in logins.indices where logins[number].hasBegun {
            if logins[number].stage == .waiting { logins[number].isOutdated = true }
            if reducer.clearsAtSignOut { logins[number].stage = .none }
        }
    }

    /// Stores another session, and revokes the former one.
    private mutating func replaceSession(with session: UInt8) {
        if held != 0, held != Self.otherSession, held != session { logins[Int(held) - 1].hasSession = false }
        held = session
    }

    private func isAttempting(_ process: Int) -> Bool {
        processes[process].visiting != 0 && !isHandingOver(processes[process])
            || processes[process].completing != 0
    }

    private func standing(of login: Int) -> BrowserLoginRules.Standing {
        if held == 0 || held == logins[login].former { return .unchanged }
        return Int(held) == login + 1 ? .own : .other
    }

    // MARK: Answers

    private mutating func deliver(
        _ login: Int,
        to process: Int,
        with reducer: BrowserLoginReducer
    ) throws(BrowserLoginViolation) {
        spend(\.requests)
        // Another answer waits until the process has completed the first one.
        guard processes[process].completing == 0 else { return }
        let isAwaited = Int(processes[process].visiting) == login + 1
        if isAwaited {
            processes[process].visiting = 0
        } else {
            guard logins[login].stage == .waiting || !reducer.countsOnce && logins[login].stage != .none,
                reducer.accepts(standing(of: login), isAttempting(process))
            else { return }
            if processes[process].visiting != 0, !isHandingOver(processes[process]) { throw .cancelled }
        }
        processes[process].completing = UInt8(login + 1)
        (processes[process].phase, processes[process].isAwaited) = (.locking, isAwaited)
        (processes[process].isVoid, processes[process].hasLost) = (false, false)
    }

    private mutating func settle(_ process: Int, with reducer: BrowserLoginReducer) {
        for number in logins.indices where logins[number].isExpired && logins[number].stage == .waiting {
            logins[number].stage = .none
        }
        guard reducer.continues, logins.contains(where: { $0.stage.rawValue > Stage.waiting.rawValue }) else {
            processes[process].isSettled = true
            return
        }
        guard lockHolder == 0 || !reducer.locks,
            let login = logins.firstIndex(where: { $0.stage.rawValue > Stage.waiting.rawValue })
        else { return }
        let next = reducer.continuation(
            standing(of: login),
            logins[login].revocation != .none,
            isAttempting(process)
        )
        if reducer.locks { lockHolder = UInt8(process + 1) }
        processes[process].completing = UInt8(login + 1)
        (processes[process].isAwaited, processes[process].isResumed) = (false, true)
        (processes[process].isVoid, processes[process].hasLost) = (false, false)
        processes[process].known = logins[login].stage
        switch next {
        case .forget: processes[process].phase = .removing
        case .abandon: processes[process].phase = .abandoning
        case .complete where logins[login].isExpired && reducer.heedsExpiry:
            processes[process].phase = .abandoning
        case .complete:
            switch logins[login].stage {
            case .answered: processes[process].phase = .redeeming
            case .granted: processes[process].phase = .opening
            default: processes[process].phase = .checking
            }
        }
    }

    // MARK: The steps of a process

    private mutating func proceed(
        _ process: Int,
        isLost: Bool,
        with reducer: BrowserLoginReducer
    ) throws(BrowserLoginViolation) {
        let login = Int(processes[process].completing) - 1
        switch processes[process].phase {
        case .idle: break
        case .locking: try lock(login, in: process, with: reducer)
        case .redeeming:
            let isRefused = logins[login].isRedeemed
            try endWhatOthersNeed(login, in: process, if: isRefused && logins[login].hasGrant)
            (logins[login].hasGrant, logins[login].isRedeemed) = (!isRefused, true)
            if !isLost, !isRefused { processes[process].known = .granted }
            move(process, isLost: isLost, isRefused: isRefused, to: .savingGrant)
        case .savingGrant: save(.granted, of: login, in: process, then: .opening)
        case .opening:
            let isRepeated = logins[login].hasSession && !logins[login].isUsed
            let isRefused = !logins[login].hasGrant && !isRepeated
            if logins[login].hasGrant { logins[login].hasSession = true }
            logins[login].hasGrant = false
            if !isLost, !isRefused { processes[process].known = .opened }
            move(process, isLost: isLost, isRefused: isRefused, to: .savingSession)
        case .savingSession:
            guard reducer.savesSession else { return move(process, to: .checking) }
            save(.opened, of: login, in: process, then: .checking)
        case .checking:
            logins[login].isUsed = true
            move(process, isLost: isLost, isRefused: !logins[login].hasSession, to: .committing)
        case .committing: try commit(login, in: process, with: reducer)
        case .removing:
            logins[login].stage = .none
            finish(process)
        case .abandoning:
            // A login that another process has removed is revoked, too.
            if reducer.revokes, reducer.revokesFirst {
                logins[login].revocation = processes[process].known
            } else if !reducer.revokesFirst {
                logins[login].stage = .none
            }
            processes[process].phase = .forgetting
        case .forgetting:
            if !reducer.revokesFirst { logins[login].revocation = processes[process].known }
            logins[login].stage = .none
            finish(process)
        }
    }

    private mutating func lock(
        _ login: Int,
        in process: Int,
        with reducer: BrowserLoginReducer
    ) throws(BrowserLoginViolation) {
        guard !processes[process].isVoid else { return finish(process) }
        let counts = logins[login].stage == .waiting || !reducer.countsOnce && logins[login].stage != .none
        let isWanted = processes[process].isAwaited || reducer.accepts(standing(of: login), false)
        guard counts, isWanted, !logins[login].isExpired || !reducer.heedsExpiry else {
            return finish(process)
        }
        if logins[login].isOutdated { throw .revived }
        if logins[login].isExpired { throw .late }
        if logins[login].isRefused {
            guard reducer.heedsRefusal else { throw .refused }
            logins[login].isRefusalRead = true
            if reducer.forgetsRefused { logins[login].stage = .none }
            return finish(process)
        }
        if reducer.locks { lockHolder = UInt8(process + 1) }
        logins[login].stage = .answered
        (processes[process].phase, processes[process].known) = (.redeeming, .answered)
    }

    private mutating func save(_ stage: Stage, of login: Int, in process: Int, then phase: Phase) {
        // A sign-out may have removed the login.
        if logins[login].stage != .none { logins[login].stage = stage }
        move(process, to: phase)
    }

    /// Goes on after a request.
    private mutating func move(_ process: Int, isLost: Bool = false, isRefused: Bool = false, to phase: Phase)
    {
        if processes[process].isVoid || isRefused, !isLost {
            processes[process].phase = .abandoning
        } else if !isLost {
            (processes[process].phase, processes[process].hasLost) = (phase, false)
        } else if !processes[process].hasLost, !processes[process].isVoid {
            processes[process].hasLost = true
        } else if !processes[process].isResumed || processes[process].isVoid {
            processes[process].phase = .abandoning
        } else {
            // An interrupted login is continued after a pause.
            processes[process].isSettled = false
            finish(process)
        }
    }

    private mutating func commit(
        _ login: Int,
        in process: Int,
        with reducer: BrowserLoginReducer
    ) throws(BrowserLoginViolation) {
        guard !processes[process].isVoid || !reducer.checksAttempt else {
            processes[process].phase = .abandoning
            return
        }
        if processes[process].isVoid { throw .revived }
        if !processes[process].isAwaited, standing(of: login) == .other {
            guard !reducer.checksStanding else {
                processes[process].phase = .abandoning
                return
            }
            throw .replaced
        }
        replaceSession(with: UInt8(login + 1))
        processes[process].phase = .removing
    }

    private mutating func finish(_ process: Int) {
        if Int(lockHolder) == process + 1 { lockHolder = 0 }
        processes[process].completing = 0
        (processes[process].phase, processes[process].known) = (.idle, .none)
        (processes[process].isAwaited, processes[process].isResumed) = (false, false)
        (processes[process].isVoid, processes[process].hasLost) = (false, false)
    }

    private func endWhatOthersNeed(
        _ login: Int,
        in process: Int,
        if isEnding: Bool
    ) throws(BrowserLoginViolation) {
        guard isEnding else { return }
        for (number, other) in processes.enumerated() where number != process {
            let needsIt = Int(other.completing) == login + 1 && other.phase != .locking
            if needsIt, !other.isVoid { throw .disturbed }
        }
    }

    // MARK: The server

    /// Performs the revocation of a login, which continues it and logs out.
    private mutating func revoke(_ login: Int) throws(BrowserLoginViolation) {
        let stage = logins[login].revocation
        logins[login].revocation = .none
        if stage == .answered {
            // A code that is presented again ends its grant, but not the session that the grant was exchanged for.
            (logins[login].isRedeemed, logins[login].hasGrant) = (true, false)
            return
        }
        // The token of a session that was used isn't issued again.
        guard stage == .opened || !logins[login].isUsed else { return }
        if Int(held) == login + 1 { throw .ended }
        (logins[login].hasGrant, logins[login].hasSession) = (false, false)
    }

    // MARK: Invariants

    package func check() throws(BrowserLoginViolation) {
        if held != 0, held != Self.otherSession, !logins[Int(held) - 1].hasSession { throw .ended }
        guard processes.allSatisfy({ $0.isAlive && $0.isSettled && $0.completing == 0 }) else { return }
        for (number, login) in logins.enumerated() where login.revocation == .none {
            if login.stage.rawValue > Stage.waiting.rawValue { throw .halfway }
            if login.stage == .waiting, login.isDismissed || login.isRefusalRead { throw .kept }
            if login.hasGrant || login.hasSession && Int(held) != number + 1 { throw .leftBehind }
        }
    }
}

extension BrowserLoginModel.Phase {
    /// Whether the phase sends a request.
    fileprivate var isRequest: Bool { self == .redeeming || self == .opening || self == .checking }
}
