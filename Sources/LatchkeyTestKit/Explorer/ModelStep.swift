import LatchkeyCore

/// A transition between states of the model.
///
/// Processes, callers and logins are identified by their indices in the state's arrays.
///
/// The number of steps that only continue an operation of a process isn't limited. Nearly all other steps are
/// caused by the environment (``isCausedByEnvironment``) and are limited by one of the ``ExplorerBounds``.
package enum ModelStep: Hashable, Sendable {
    /// The store performs the first pending operation of a process.
    case performStoreOperation(Int)
    /// A process receives a store operation's result.
    case receiveStoreResult(Int)
    /// A process is notified that another process has changed the store.
    case receiveChange(Int)
    /// A process acquires the refresh lock.
    case acquireLock(Int)
    /// A process has timed out while waiting for the lock, and continues without the lock.
    case proceedWithoutLock(Int)
    /// The server answers a refresh request.
    ///
    /// The second number identifies the request.
    case answerRequest(Int, Int)
    /// The network loses a refresh request or its response.
    case loseRequest(Int, Int)
    /// A process receives the response to a refresh request.
    case receiveResponse(Int, Int)
    /// A caller requests the current credentials.
    case requestAccess(Int)
    /// A caller requests a new access token because the token that it received has expired.
    case requestFresherAccess(Int)
    /// A caller stops waiting.
    case cancelRequest(Int)
    /// The server accepts a login that a process has submitted.
    case acceptLogin(Int, Login)
    /// The process passes an accepted login to its state machine.
    case completeLogin(Int)
    /// A process receives changed session data, such as a new profile.
    case changeSession(Int)
    /// The user or the app signs out in a process.
    case signOut(Int)
    /// The server revokes a login.
    case revokeLogin(Int)
    /// A process learns from the server that its login has ended.
    case learnOfRevocation(Int)
    /// A process is killed and restarted.
    case crash(Int)
    /// The store becomes locked, starts failing, or becomes available again.
    case setStoreCondition(ModelState.StoreCondition)

    /// The kind of credentials that the server issues for a login.
    package enum Login: Hashable, Sendable {
        /// An access token and a refresh token.
        case pair
        /// An opaque token without a refresh token.
        case opaque
        /// A token pair without a device certificate.
        case incomplete
    }
}

extension ModelState {
    /// The maximum number of logins, which is limited because sets of logins are 32-bit masks.
    private static let maxLogins = 32

    /// The transitions that are possible in this state within the remaining budget.
    ///
    /// The order must only depend on the state, because a search stores each step as its index in this array.
    package var steps: [ModelStep] {
        var steps: [ModelStep] = []
        for number in processes.indices { addSteps(of: number, to: &steps) }
        for caller in isWaiting.indices {
            if isWaiting[caller] {
                if budget.cancellations > 0 { steps.append(.cancelRequest(caller)) }
                continue
            }
            if budget.requests > 0 { steps.append(.requestAccess(caller)) }
            if budget.refreshes > 0, processes[Int(callerProcesses[caller])].machine.held != nil {
                steps.append(.requestFresherAccess(caller))
            }
        }
        if budget.revocations > 0 {
            for (number, family) in families.enumerated() where family.isLive {
                steps.append(.revokeLogin(number))
            }
        }
        if budget.storeFailures > 0 || storeCondition != .available {
            for other in StoreCondition.allCases where other != storeCondition {
                if budget.storeFailures > 0 || other == .available { steps.append(.setStoreCondition(other)) }
            }
        }
        return steps
    }

    /// Adds the steps of one process.
    ///
    /// A process can't begin another login until its current login is completed.
    private func addSteps(of number: Int, to steps: inout [ModelStep]) {
        if !processes[number].pending.isEmpty { steps.append(.performStoreOperation(number)) }
        if !processes[number].results.isEmpty { steps.append(.receiveStoreResult(number)) }
        if processes[number].hasPendingChange { steps.append(.receiveChange(number)) }
        if processes[number].waitsForLock {
            if lockHolder == nil { steps.append(.acquireLock(number)) }
            if lockHolder != nil, budget.lockTimeouts > 0 { steps.append(.proceedWithoutLock(number)) }
        }
        for (index, request) in processes[number].requests.enumerated() {
            steps.append(
                request.answer == nil ? .answerRequest(number, index) : .receiveResponse(number, index)
            )
            if budget.losses > 0, request.answer != .failed { steps.append(.loseRequest(number, index)) }
        }
        if processes[number].acceptedLogin != nil {
            steps.append(.completeLogin(number))
        } else if families.count < Self.maxLogins {
            if budget.logins > 0 {
                steps.append(.acceptLogin(number, .pair))
                steps.append(.acceptLogin(number, .incomplete))
            }
            if budget.opaqueLogins > 0 { steps.append(.acceptLogin(number, .opaque)) }
        }
        if budget.signOuts > 0 { steps.append(.signOut(number)) }
        if let held = processes[number].machine.held {
            if budget.sessionChanges > 0 { steps.append(.changeSession(number)) }
            if !families[Int(held.login)].isLive { steps.append(.learnOfRevocation(number)) }
        }
        if budget.crashes > 0 { steps.append(.crash(number)) }
    }

    /// Whether any operation in progress can complete on its own, without another step by the environment.
    ///
    /// Waiting for a lock that is held by another process is not regarded as an operation in progress.
    var isInProgress: Bool {
        processes.contains { process in
            !process.pending.isEmpty || !process.results.isEmpty || process.hasPendingChange
                || !process.requests.isEmpty
                || process.acceptedLogin != nil || (process.waitsForLock && lockHolder == nil)
        }
    }
}
