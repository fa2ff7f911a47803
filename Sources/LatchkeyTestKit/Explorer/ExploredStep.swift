import LatchkeyCore

/// One thing that can happen next in an explored world.
package enum ExploredStep: Hashable, Sendable {
    /// The store does what a process asked for first.
    case store(Int)
    /// A process hears what came of it.
    case hear(Int)
    /// A process hears that another has changed the store.
    case news(Int)
    /// A process gets the lock.
    case lock(Int)
    /// A process has waited long enough for the lock.
    case overtake(Int)
    /// The server judges a question.
    case judge(Int, Int)
    /// A question never arrives, or its answer never comes back.
    case lose(Int, Int)
    /// An answer arrives.
    case receive(Int, Int)
    /// A caller asks for what there is.
    case ask(Int)
    /// A caller's access has expired.
    case expire(Int)
    /// A caller gives up waiting.
    case leave(Int)
    /// The server accepts a login.
    case accept(Int, Login)
    /// A login is handed to the machine.
    case admit(Int)
    /// A process learns something new about its login, such as another profile.
    case amend(Int)
    /// Somebody signs out.
    case signOut(Int)
    /// The server is told to end a login.
    case revoke(Int)
    /// A process learns from the server that its login is over.
    case learn(Int)
    /// A process is killed, and another begins in its place.
    case crash(Int)
    /// The store becomes locked, fails, or works again.
    case mood(ExploredWorld.StoreMood)

    /// What a login brings.
    package enum Login: Hashable, Sendable {
        /// A pair of tokens.
        case pair
        /// One opaque token.
        case opaque
        /// A pair, but no certificate.
        case incomplete
    }
}

extension ExploredWorld {
    /// As many as there are bits for those that have ended.
    private static let mostLogins = 32

    /// What can happen next.
    package var steps: [ExploredStep] {
        var steps: [ExploredStep] = []
        for number in apps.indices { addSteps(of: number, to: &steps) }
        for caller in isWaiting.indices {
            if isWaiting[caller] {
                if budget.departures > 0 { steps.append(.leave(caller)) }
                continue
            }
            if budget.asks > 0 { steps.append(.ask(caller)) }
            if budget.refreshes > 0, apps[Int(callerApps[caller])].machine.held != nil {
                steps.append(.expire(caller))
            }
        }
        if budget.revocations > 0 {
            for (number, family) in families.enumerated() where family.isLive {
                steps.append(.revoke(number))
            }
        }
        if budget.moods > 0 || mood != .fine {
            for other in StoreMood.allCases where other != mood {
                if budget.moods > 0 || other == .fine { steps.append(.mood(other)) }
            }
        }
        return steps
    }

    private func addSteps(of number: Int, to steps: inout [ExploredStep]) {
        if !apps[number].pending.isEmpty { steps.append(.store(number)) }
        if !apps[number].results.isEmpty { steps.append(.hear(number)) }
        if apps[number].hasNews { steps.append(.news(number)) }
        if apps[number].waitsForLock {
            if lockHolder == nil { steps.append(.lock(number)) }
            if lockHolder != nil, budget.overtakings > 0 { steps.append(.overtake(number)) }
        }
        for (index, question) in apps[number].questions.enumerated() {
            steps.append(question.answer == nil ? .judge(number, index) : .receive(number, index))
            if budget.losses > 0, question.answer != .failed { steps.append(.lose(number, index)) }
        }
        if apps[number].admission != nil {
            steps.append(.admit(number))
        } else if families.count < Self.mostLogins {
            if budget.logins > 0 {
                steps.append(.accept(number, .pair))
                steps.append(.accept(number, .incomplete))
            }
            if budget.opaqueLogins > 0 { steps.append(.accept(number, .opaque)) }
        }
        if budget.signOuts > 0 { steps.append(.signOut(number)) }
        if let held = apps[number].machine.held {
            if budget.amendments > 0 { steps.append(.amend(number)) }
            if !families[Int(held.login)].isLive { steps.append(.learn(number)) }
        }
        if budget.crashes > 0 { steps.append(.crash(number)) }
    }

    /// Whether something is under way that comes to its end without the outside world's doing.
    var isUnderWay: Bool {
        apps.contains { app in
            !app.pending.isEmpty || !app.results.isEmpty || app.hasNews || !app.questions.isEmpty
                || app.admission != nil || (app.waitsForLock && lockHolder == nil)
        }
    }
}
