import LatchkeyCore

/// A transition of an explored world; process, caller and login numbers index into the arrays of the world.
package enum ExploredStep: Hashable, Sendable {
    /// The store performs the first pending operation of a process.
    case store(Int)
    /// A process receives the result of a store operation.
    case hear(Int)
    /// A process is notified that another one has changed the store.
    case news(Int)
    /// A process acquires the refresh lock.
    case lock(Int)
    /// A process has waited for the lock until its timeout, and continues without it.
    case overtake(Int)
    /// The server answers a refresh request; the second number is that of the request.
    case judge(Int, Int)
    /// The network loses a refresh request or its response.
    case lose(Int, Int)
    /// A process receives the response to a refresh request.
    case receive(Int, Int)
    /// A caller requests the current access.
    case ask(Int)
    /// The access of a caller has expired, and it requests a fresher one.
    case expire(Int)
    /// A caller stops waiting.
    case leave(Int)
    /// The server accepts a login of a process.
    case accept(Int, Login)
    /// An accepted login is passed to the state machine.
    case admit(Int)
    /// A process receives other data of its session, such as a changed profile.
    case amend(Int)
    /// The user or the app signs out in a process.
    case signOut(Int)
    /// A login is revoked on the server.
    case revoke(Int)
    /// A process learns from the server that its login has ended.
    case learn(Int)
    /// A process is killed and started again.
    case crash(Int)
    /// The store becomes locked, begins to fail, or works again.
    case mood(ExploredWorld.StoreMood)

    /// The kind of credentials that a login issues.
    package enum Login: Hashable, Sendable {
        /// An access and a refresh token.
        case pair
        /// One opaque token.
        case opaque
        /// A token pair without a client certificate.
        case incomplete
    }
}

extension ExploredWorld {
    /// The maximum number of logins: sets of logins are bit masks of 32 bits.
    private static let mostLogins = 32

    /// The transitions that are possible in this world within its remaining budget.
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

    /// Whether an operation is in progress that completes without a step of the environment.
    var isUnderWay: Bool {
        apps.contains { app in
            !app.pending.isEmpty || !app.results.isEmpty || app.hasNews || !app.questions.isEmpty
                || app.admission != nil || (app.waitsForLock && lockHolder == nil)
        }
    }
}
