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
    /// The server accepts a login, which may lack its certificate.
    case accept(Int, isComplete: Bool)
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
}

extension ExploredWorld {
    /// Whether a step is the outside world's doing, which may come or not.
    static func isFromOutside(_ step: ExploredStep) -> Bool {
        switch step {
        case .store, .hear, .news, .lock, .judge, .receive, .admit: false
        default: true
        }
    }

    /// What can happen next.
    package var steps: [ExploredStep] {
        var steps: [ExploredStep] = []
        for (number, app) in apps.enumerated() {
            if !app.pending.isEmpty { steps.append(.store(number)) }
            if !app.results.isEmpty { steps.append(.hear(number)) }
            if app.hasNews { steps.append(.news(number)) }
            if app.waitsForLock {
                if lockHolder == nil { steps.append(.lock(number)) }
                if lockHolder != nil, budget.overtakings > 0 { steps.append(.overtake(number)) }
            }
            for (index, question) in app.questions.enumerated() {
                steps.append(question.answer == nil ? .judge(number, index) : .receive(number, index))
                if budget.losses > 0, question.answer != .failed { steps.append(.lose(number, index)) }
            }
            if app.admission != nil {
                steps.append(.admit(number))
            } else if budget.logins > 0 {
                steps.append(.accept(number, isComplete: true))
                steps.append(.accept(number, isComplete: false))
            }
            if budget.signOuts > 0 { steps.append(.signOut(number)) }
            if budget.amendments > 0, app.machine.held != nil { steps.append(.amend(number)) }
            if let held = app.machine.held, !families[Int(held.login)].isLive { steps.append(.learn(number)) }
            if budget.crashes > 0 { steps.append(.crash(number)) }
        }
        for (number, caller) in callers.enumerated() where caller != .waiting {
            if caller == .outside { steps.append(.ask(number)) }
            if budget.refreshes > 0, apps[Int(callerApps[number])].machine.held != nil {
                steps.append(.expire(number))
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
}
