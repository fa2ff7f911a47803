package import LatchkeyCore

/// A transition between states of ``AccessModel``.
///
/// The first number identifies the process, and the second number identifies one of the process's callers.
package enum AccessStep: Hashable, Sendable {
    /// A process reads the store.
    case readStore(Int)
    /// A process fails to read the store.
    case failToRead(Int)
    /// A process is notified that another process has changed the store.
    case receiveChange(Int)
    /// A caller requests a session.
    case ask(Int, Int, AccessMachine.Need)
    /// The task of a caller is cancelled.
    case leave(Int, Int)
    /// A caller's action completes.
    case finish(Int, Int)
    /// A caller's action fails as if its session had ended.
    case failAction(Int, Int, mayRepeat: Bool)
    /// A caller's action fails because the user has to complete a step first.
    case requireDuty(Int, Int, mayRepeat: Bool)
    /// The user dismisses the presentation.
    case dismiss(Int)
    /// A presenter returns or is deallocated.
    case returnFromPresenter(Int)
    /// The app hasn't set a presenter.
    case missPresenter(Int)
    /// The server accepts the login in a presentation.
    case acceptLogin(Int, account: UInt32, duties: UInt8)
    /// An accepted login is stored.
    case storeLogin(Int)
    /// The app can't get a certificate for an accepted login, or can't store the login.
    case failLogin(Int)
    /// The state machine is notified that a login was stored.
    case completeLogin(Int)
    /// The user completes a duty.
    case fulfillDuty(Int)
    /// The user logs in outside of a presentation.
    case logInElsewhere(Int, account: UInt32)
    /// The user or the app signs out.
    case signOut(Int)
    /// A process learns that the server has ended the session.
    case endSession(Int)
    /// A process is killed and restarted.
    case crash(Int)
}

extension AccessModel {
    /// The requests that a caller can make.
    private static let needs: [AccessMachine.Need] = [.action(.onDemand), .action(.never), .login]

    /// The accounts that users can log in to.
    private static let accounts: [UInt32] = [0, 1]

    /// The maximum number of logins that a canonical form supports.
    private static let maxLogins: UInt32 = 14

    /// The steps that are possible in this state.
    package var steps: [AccessStep] {
        var steps: [AccessStep] = []
        for number in processes.indices {
            addSessionSteps(of: number, to: &steps)
            addPresentationSteps(of: number, to: &steps)
            for (index, caller) in processes[number].callers.enumerated() {
                addSteps(of: caller, index, in: number, to: &steps)
            }
            if budget.crashes > 0 { steps.append(.crash(number)) }
        }
        return steps
    }

    private func addSessionSteps(of number: Int, to steps: inout [AccessStep]) {
        let process = processes[number]
        switch process.known {
        case .unread:
            steps.append(.readStore(number))
            if budget.storeFailures > 0 { steps.append(.failToRead(number)) }
        case .unavailable: steps.append(.readStore(number))
        case .signedOut, .signedIn:
            if process.hasPendingChange { steps.append(.receiveChange(number)) }
            if budget.otherLogins > 0, lastLogin < Self.maxLogins {
                steps += Self.accounts.map { .logInElsewhere(number, account: $0) }
            }
        }
        if budget.signOuts > 0 { steps.append(.signOut(number)) }
        if budget.sessionEnds > 0, case .signedIn = process.known { steps.append(.endSession(number)) }
    }

    private func addPresentationSteps(of number: Int, to steps: inout [AccessStep]) {
        let process = processes[number]
        if let admission = process.admission {
            if admission.phase == .accepted { steps.append(.storeLogin(number)) }
            steps.append(admission.phase == .stored ? .completeLogin(number) : .failLogin(number))
        }
        guard let call = process.call else { return }
        if !call.isOpen || budget.dismissals > 0 { steps.append(.returnFromPresenter(number)) }
        if budget.missingPresenters > 0 { steps.append(.missPresenter(number)) }
        guard call.isOpen else { return }
        if budget.dismissals > 0 { steps.append(.dismiss(number)) }
        guard process.admission == nil else { return }
        if process.known == .signedOut, budget.logins > 0, lastLogin < Self.maxLogins {
            for account in Self.accounts {
                steps.append(.acceptLogin(number, account: account, duties: 0))
                if budget.duties > 0 { steps.append(.acceptLogin(number, account: account, duties: 1)) }
            }
        }
        if process.duties > 0 || process.requestsDuty { steps.append(.fulfillDuty(number)) }
    }

    private func addSteps(of caller: Caller, _ index: Int, in number: Int, to steps: inout [AccessStep]) {
        switch caller {
        case .idle:
            if budget.requests > 0 { steps += Self.needs.map { .ask(number, index, $0) } }
            return
        case .waiting: break
        case .running:
            steps.append(.finish(number, index))
            if budget.failedActions > 0 {
                steps += [true, false].map { .failAction(number, index, mayRepeat: $0) }
                if budget.duties > 0 {
                    steps += [true, false].map { .requireDuty(number, index, mayRepeat: $0) }
                }
            }
        }
        if budget.cancellations > 0 { steps.append(.leave(number, index)) }
    }
}

extension AccessStep {
    /// A short description of the step.
    ///
    /// Processes and callers are numbered from 0.
    package var summary: String {
        switch self {
        case .readStore(let process): "process \(process) reads the store"
        case .failToRead(let process): "process \(process) cannot read the store"
        case .receiveChange(let process): "process \(process) is notified of a changed record"
        case .ask(let process, let caller, let need):
            "caller \(caller) in process \(process) asks: \(need)"
        case .leave(let process, let caller): "caller \(caller) in process \(process) is cancelled"
        case .finish(let process, let caller):
            "the action of caller \(caller) in process \(process) completes"
        case .failAction(let process, let caller, let mayRepeat):
            "the action of caller \(caller) in process \(process) loses its session"
                + (mayRepeat ? "" : ", and must not be repeated")
        case .requireDuty(let process, let caller, let mayRepeat):
            "the action of caller \(caller) in process \(process) requires a duty"
                + (mayRepeat ? "" : ", and must not be repeated")
        case .dismiss(let process): "the user dismisses the presentation in process \(process)"
        case .returnFromPresenter(let process): "the presenter in process \(process) returns"
        case .missPresenter(let process): "process \(process) has no presenter"
        case .acceptLogin(let process, let account, let duties):
            "the server accepts the login of account \(account) in process \(process)"
                + (duties > 0 ? ", with a duty" : "")
        case .storeLogin(let process): "process \(process) stores the login"
        case .failLogin(let process): "process \(process) cannot store the login"
        case .completeLogin(let process): "process \(process) completes the login"
        case .fulfillDuty(let process): "the user fulfills a duty in process \(process)"
        case .logInElsewhere(let process, let account):
            "other code in process \(process) logs in to account \(account)"
        case .signOut(let process): "the user signs out in process \(process)"
        case .endSession(let process): "process \(process) learns that its session has ended"
        case .crash(let process): "process \(process) is killed and restarted"
        }
    }
}
