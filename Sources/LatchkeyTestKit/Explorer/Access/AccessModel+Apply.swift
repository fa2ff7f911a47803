package import LatchkeyCore

extension AccessModel {
    /// The transition function under test, which is either the production function or a mutant that wraps it.
    package typealias Reducer =
        @Sendable (inout AccessMachine, AccessMachine.Event) -> [AccessMachine.Effect]

    /// The transition function that production code uses.
    package static let shipped: Reducer = { $0.reduce($1) }

    /// Applies a step.
    ///
    /// A step that is not in ``steps`` may trap. If an error is thrown, the state is unspecified and must be
    /// discarded.
    ///
    /// - Parameters:
    ///   - step: One of the state's ``steps``.
    ///   - reducer: The transition function that the processes' state machines use.
    /// - Throws: ``AccessViolation`` if the step violates an invariant.
    package mutating func apply(_ step: AccessStep, with reducer: Reducer) throws(AccessViolation) {
        switch step {
        case .readStore(let process), .receiveChange(let process):
            processes[process].hasPendingChange = false
            try report(record.map { .signedIn($0) } ?? .signedOut, to: process, reducer: reducer)
        case .failToRead(let process):
            AccessBounds.decrement(&budget.storeFailures)
            try report(.unavailable, to: process, reducer: reducer)
        case .ask(let process, let caller, let need):
            AccessBounds.decrement(&budget.requests)
            processes[process].callers[caller] = .waiting(need, former: nil)
            if need == .login, processes[process].call?.isOpen == true, !processes[process].requestsDuty {
                processes[process].call?.isExplicit = true
            }
            try send(.asked(UInt32(caller), need), to: process, reducer: reducer)
        case .leave(let process, let caller):
            AccessBounds.decrement(&budget.cancellations)
            processes[process].callers[caller] = .idle
            try send(.left(UInt32(caller)), to: process, reducer: reducer)
        case .finish(let process, let caller):
            processes[process].callers[caller] = .idle
            try send(.finished(UInt32(caller)), to: process, reducer: reducer)
        case .failAction(let process, let caller, let mayRepeat):
            try failAction(of: caller, in: process, mayRepeat: mayRepeat, reducer: reducer)
        case .requireDuty(let process, let caller, let mayRepeat):
            AccessBounds.decrement(&budget.duties)
            try failAction(
                of: caller,
                in: process,
                mayRepeat: mayRepeat,
                requiringDuty: true,
                reducer: reducer
            )
        case .logInElsewhere(let process, let account):
            AccessBounds.decrement(&budget.otherLogins)
            try store(newLogin(account), in: process, duties: 0, reducer: reducer)
        case .signOut(let process): try signOut(in: process, reducer: reducer)
        case .endSession(let process):
            AccessBounds.decrement(&budget.sessionEnds)
            if processes[process].known == record.map({ .signedIn($0) }) {
                changeRecord(to: nil, by: process)
            }
            try report(.signedOut, to: process, reducer: reducer)
        case .crash(let process):
            AccessBounds.decrement(&budget.crashes)
            let callers = processes[process].callers.count
            processes[process] = Process()
            processes[process].callers = Array(repeating: .idle, count: callers)
        case .dismiss, .returnFromPresenter, .missPresenter, .acceptLogin, .storeLogin, .failLogin,
            .completeLogin, .fulfillDuty:
            try applyToPresentation(step, reducer: reducer)
        }
    }

    /// Applies a step that concerns a presentation or its login.
    private mutating func applyToPresentation(
        _ step: AccessStep,
        reducer: Reducer
    ) throws(AccessViolation) {
        switch step {
        case .dismiss(let process):
            AccessBounds.decrement(&budget.dismissals)
            guard let call = processes[process].call else { return }
            try send(.dismissed(call.number), to: process, reducer: reducer)
        case .returnFromPresenter(let process):
            guard let call = processes[process].call else { return }
            if call.isOpen { AccessBounds.decrement(&budget.dismissals) }
            try send(.presenterReturned(call.number), to: process, reducer: reducer)
        case .missPresenter(let process):
            AccessBounds.decrement(&budget.missingPresenters)
            guard let call = processes[process].call else { return }
            try send(.presenterMissing(call.number), to: process, reducer: reducer)
        case .acceptLogin(let process, let account, let duties):
            AccessBounds.decrement(&budget.logins)
            if duties > 0 { AccessBounds.decrement(&budget.duties) }
            guard let call = processes[process].call else { return }
            processes[process].admission = Admission(
                number: call.number,
                login: newLogin(account),
                duties: duties
            )
            try send(.admitting(call.number), to: process, reducer: reducer)
        case .storeLogin(let process):
            guard let admission = processes[process].admission else { return }
            processes[process].admission?.phase = .stored
            try store(admission.login, in: process, duties: admission.duties, reducer: reducer)
        case .failLogin(let process):
            guard let admission = processes[process].admission else { return }
            processes[process].admission = nil
            try send(.admissionFailed(admission.number), to: process, reducer: reducer)
        case .completeLogin(let process):
            guard let admission = processes[process].admission else { return }
            processes[process].admission = nil
            if let call = processes[process].call, call.isOpen, call.number == admission.number {
                processes[process].call?.content = .completedLogin
            }
            try send(
                .admitted(admission.number, admission.login, duties: admission.duties),
                to: process,
                reducer: reducer
            )
        case .fulfillDuty(let process):
            guard let call = processes[process].call else { return }
            processes[process].duties -= min(processes[process].duties, 1)
            try send(.dutyFulfilled(call.number), to: process, reducer: reducer)
        default: break
        }
    }

    // MARK: The session

    private mutating func newLogin(_ account: UInt32) -> AccessMachine.Login {
        lastLogin += 1
        return AccessMachine.Login(number: lastLogin, account: account)
    }

    /// Changes the record.
    ///
    /// The other processes are notified later.
    private mutating func changeRecord(to login: AccessMachine.Login?, by process: Int) {
        record = login
        for other in processes.indices where other != process { processes[other].hasPendingChange = true }
    }

    /// Stores a login and immediately notifies the process's own machine.
    private mutating func store(
        _ login: AccessMachine.Login,
        in process: Int,
        duties: UInt8,
        reducer: Reducer
    ) throws(AccessViolation) {
        changeRecord(to: login, by: process)
        processes[process].hasPendingChange = false
        try report(.signedIn(login), duties: duties, to: process, reducer: reducer)
    }

    /// Notifies a machine of the session status.
    private mutating func report(
        _ status: AccessMachine.Status,
        duties: UInt8 = 0,
        to process: Int,
        reducer: Reducer
    ) throws(AccessViolation) {
        if processes[process].known != status { processes[process].duties = duties }
        processes[process].known = status
        try send(.sessionChanged(status), to: process, reducer: reducer)
    }

    /// Signs the user out.
    ///
    /// After this step, logins that began before the sign-out can't be stored, and actions that ran before
    /// the sign-out can't run again.
    private mutating func signOut(in process: Int, reducer: Reducer) throws(AccessViolation) {
        AccessBounds.decrement(&budget.signOuts)
        changeRecord(to: nil, by: process)
        if processes[process].admission?.phase == .accepted { processes[process].admission?.phase = .refused }
        for (index, caller) in processes[process].callers.enumerated() {
            guard case .running(let policy, let login, let isRepetition, _) = caller else { continue }
            processes[process].callers[index] = .running(
                policy,
                login,
                isRepetition: isRepetition,
                hasSignedOut: true
            )
        }
        (processes[process].known, processes[process].duties) = (.signedOut, 0)
        processes[process].hasPendingChange = false
        try send(.signedOut, to: process, reducer: reducer)
        try report(.signedOut, to: process, reducer: reducer)
    }

    // MARK: Actions

    /// Makes a caller's action fail, and checks that the action is repeated only if the rules allow this.
    private mutating func failAction(
        of caller: Int,
        in process: Int,
        mayRepeat: Bool,
        requiringDuty: Bool = false,
        reducer: Reducer
    ) throws(AccessViolation) {
        AccessBounds.decrement(&budget.failedActions)
        guard
            case .running(let policy, let login, let isRepetition, let hasSignedOut) =
                processes[process].callers[caller]
        else { return }
        let hasEnded = processes[process].known != .signedIn(login)
        let isInTime = requiringDuty ? !hasEnded && policy == .onDemand : hasEnded
        processes[process].callers[caller] = .waiting(.action(policy), former: login)
        try send(
            requiringDuty
                ? .dutyRequired(UInt32(caller), mayRepeat: mayRepeat)
                : .sessionEnded(UInt32(caller), mayRepeat: mayRepeat),
            isRepetitionAllowed: mayRepeat && !isRepetition && !hasSignedOut && isInTime,
            to: process,
            reducer: reducer
        )
    }
}
