import LatchkeyModel

/// The driver of ``AccessMachine``: it gives sessions to actions, and presents a login when one is needed.
///
/// The machine makes each decision under a lock. Callers are resumed without holding it; presentations begin
/// and end on the main actor, in the order of the decisions.
package final class AccessCoordinator: Sendable {
    /// A session that was granted to a caller.
    struct Grant: Sendable {
        /// The session.
        let session: UserSession
        /// The number of its login.
        let login: UInt32
    }

    /// The answer to a caller: a grant, or `nil` if its action does not run again.
    typealias Answer = Result<Grant?, LatchkeyError>

    private struct State {
        var machine = AccessMachine()
        /// The session that ``AccessMachine/status`` refers to.
        var session: UserSession?
        /// The error behind the status `unavailable`.
        var storeError: LatchkeyError?
        /// The numbers of the accounts that have logged in, by their ids.
        var accounts: [String: UInt32] = [:]
        /// The waiting callers' callbacks; each is removed when its caller is answered or cancelled.
        var answers: [AccessMachine.Caller: @Sendable (Answer) -> Void] = [:]
        var callerCount: AccessMachine.Caller = 0
        /// The reasons of the callers that wait.
        var reasons: [AccessMachine.Caller: LoginReason] = [:]
        /// The duties of the current login that the server named, in order.
        var duties: [OpenDuty] = []
        /// Whether the app has set a presenter.
        var hasPresenter = false

        /// Stores a state of the session, and returns it in the machine's terms.
        mutating func apply(_ sessionState: SessionState, login: UInt32?) -> AccessMachine.Status {
            var status = AccessMachine.Status.signedOut
            (session, storeError) = (sessionState.session, nil)
            switch sessionState {
            case .signedIn(let session):
                status = .signedIn(
                    AccessMachine.Login(number: login ?? 0, account: account(session.identity.id))
                )
            case .signedOut: break
            case .unavailable(.notReadYet): status = .unread
            case .unavailable(.store(let error)):
                storeError = LatchkeyError(store: error)
                status = .unavailable
            }
            if status != machine.status { duties = [] }
            return status
        }

        /// Returns the answer to a caller that receives no session.
        func answer(for refusal: AccessMachine.Refusal) -> Answer {
            switch refusal {
            case .signedOut: .failure(.notSignedIn)
            case .dismissed: .failure(.dismissed)
            case .dutyOpen: .failure(.dutyOpen)
            case .noPresenter: .failure(.noPresenter)
            case .unavailable: .failure(storeError ?? .notSignedIn)
            case .superseded: .failure(.replacedDuringAction)
            case .notRepeated: .success(nil)
            }
        }

        /// Returns the number of an account.
        mutating func account(_ id: String) -> UInt32 {
            if let number = accounts[id] { return number }
            let number = UInt32(accounts.count)
            accounts[id] = number
            return number
        }
    }

    private let state = Locked(State())
    private let keeper: SessionKeeper
    private let requests: AuthorizedRequests
    /// Orders the beginnings and ends of presentations.
    private let queue = MainActorQueue()
    private let stage: PresentationStage

    /// Creates a coordinator, which follows the keeper's session.
    package init(keeper: SessionKeeper, flows: FlowEngine, requests: AuthorizedRequests) {
        (self.keeper, self.requests) = (keeper, requests)
        stage = PresentationStage(flows: flows)
        keeper.follow { [weak self] change in
            guard let self else { return }
            let answers = receive(change)
            // The keeper's lock is held here.
            if !answers.isEmpty { Task { for answer in answers { answer() } } }
        }
    }

    // MARK: The presenter

    /// The presenter of the app, which is held weakly.
    @MainActor package var presenter: (any Presenter)? {
        get { stage.presenter }
        set {
            stage.presenter = newValue
            state.withLock { $0.hasPresenter = newValue != nil }
        }
    }

    /// The first form of the logins that are presented from now on.
    @MainActor package var entry: LoginEntry {
        get { stage.entry }
        set { stage.entry = newValue }
    }

    // MARK: Callers

    /// The number of callers that wait for a session; for tests.
    package var waitingCallers: Int {
        state.withLock { $0.machine.waiters.count }
    }

    /// Returns the session, and presents a login if no user is logged in.
    ///
    /// - Parameter reason: The reason to show if a login is presented.
    /// - Returns: The session.
    /// - Throws: ``LatchkeyError``: ``LatchkeyError/Code/dismissed``, ``LatchkeyError/Code/noPresenter``,
    ///   ``LatchkeyError/Code/signedOut`` after a sign-out, ``LatchkeyError/Code/dutyOpen``, a store error, or
    ///   ``LatchkeyError/Code/cancelled``.
    package func logIn(because reason: LoginReason) async throws(LatchkeyError) -> UserSession {
        await keeper.ready()
        let caller = newCaller(reason)
        guard let grant = try await answer(to: caller, event: .asked(caller, .login)) else {
            throw .notSignedIn
        }
        return grant.session
    }

    /// Runs an action with a session.
    ///
    /// - Parameters:
    ///   - policy: Whether to present a login if no user is logged in.
    ///   - reason: The reason to show if a login is presented.
    ///   - replay: Whether the action may run again after its session ended.
    ///   - action: The action.
    /// - Returns: The value that the action returns.
    /// - Throws: The error of the action, or ``LatchkeyError`` if it received no session.
    package func run<Value: Sendable>(
        _ policy: LoginPolicy,
        because reason: LoginReason,
        replay: Replay,
        action: @Sendable (SessionAccess) async throws -> Value
    ) async throws -> Value {
        await keeper.ready()
        let caller = newCaller(reason)
        guard var grant = try await answer(to: caller, event: .asked(caller, .action(policy))) else {
            throw LatchkeyError.notSignedIn
        }
        while true {
            let access = SessionAccess(
                session: grant.session,
                login: grant.login,
                keeper: keeper,
                requests: requests,
                replay: replay
            )
            do {
                let value = try await action(access)
                send(.finished(caller))
                return value
            } catch {
                guard let failure = error as? LatchkeyError, failure.concernsSession, !Task.isCancelled else {
                    send(.finished(caller))
                    throw error
                }
                state.withLock { $0.reasons[caller] = .sessionEnded }
                let next = try await answer(
                    to: caller,
                    event: .sessionEnded(caller, mayRepeat: access.mayRepeat)
                )
                guard let next else { throw failure }
                grant = next
            }
        }
    }

    /// Registers a caller with the reason for its request.
    private func newCaller(_ reason: LoginReason) -> AccessMachine.Caller {
        state.withLock { state in
            state.callerCount &+= 1
            state.reasons[state.callerCount] = reason
            return state.callerCount
        }
    }

    /// Passes a caller's event to the machine, and waits for the answer or a cancellation.
    ///
    /// - Returns: The session, or `nil` if the caller's action does not run again.
    private func answer(
        to caller: AccessMachine.Caller,
        event: AccessMachine.Event
    ) async throws(LatchkeyError) -> Grant? {
        guard !Task.isCancelled else {
            send(.left(caller)) { $0.reasons[caller] = nil }
            throw .cancelled
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
                send(event) { $0.answers[caller] = { continuation.resume(returning: $0) } }
                if Task.isCancelled { leave(caller) }
            }
        } onCancel: {
            leave(caller)
        }
        return try answer.get()
    }

    /// Removes a cancelled caller, and answers it with `cancelled` unless it has already been answered.
    private func leave(_ caller: AccessMachine.Caller) {
        var answer: (@Sendable (Answer) -> Void)?
        let answers = state.withLock { state -> [@Sendable () -> Void] in
            answer = state.answers.removeValue(forKey: caller)
            state.reasons[caller] = nil
            return answer == nil ? [] : reduce(.left(caller), in: &state)
        }
        for answer in answers { answer() }
        answer?(.failure(.cancelled))
    }

    // MARK: Events

    /// Passes an event to the machine, and answers the callers that it decides about.
    func send(_ event: AccessMachine.Event) {
        send(event) { _ in }
    }

    /// Reports that a login was stored, with its duties.
    ///
    /// - Parameters:
    ///   - session: The session of the login, which may have been replaced since.
    ///   - duties: The duties to fulfill before callers are resumed.
    ///   - number: The number of the presentation.
    func admitted(_ session: UserSession, duties: [OpenDuty], by number: UInt32) {
        let count = UInt8(clamping: duties.count)
        let answers = state.withLock { state -> [@Sendable () -> Void] in
            // The keeper never uses this number, which stands for a login that is not the current one.
            var login = AccessMachine.Login(number: 0, account: 0)
            if case .signedIn(let current) = state.machine.status, state.session?.id == session.id,
                state.session?.identity.id == session.identity.id
            {
                (login, state.duties) = (current, duties)
            }
            return reduce(.admitted(number, login, duties: count), in: &state)
        }
        for answer in answers { answer() }
    }

    /// Reports that the user has fulfilled the first duty.
    func dutyFulfilled(in number: UInt32) {
        send(.dutyFulfilled(number)) { state in
            if !state.duties.isEmpty { state.duties.removeFirst() }
        }
    }

    /// Passes an event to the machine, and answers the callers that it decides about.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - prepare: Changes the state in the same step, before the machine receives the event.
    private func send(_ event: AccessMachine.Event, preparing prepare: (inout State) -> Void) {
        let answers = state.withLock { state in
            prepare(&state)
            return reduce(event, in: &state)
        }
        for answer in answers { answer() }
    }

    /// Applies a change of the keeper's session.
    ///
    /// - Parameter change: The change.
    /// - Returns: The answers to callers, to be called without a lock.
    private func receive(_ change: SessionChange) -> [@Sendable () -> Void] {
        state.withLock { state in
            switch change {
            case .signedOut: return reduce(.signedOut, in: &state)
            case .state(let sessionState, let login):
                return reduce(.sessionChanged(state.apply(sessionState, login: login)), in: &state)
            }
        }
    }

    /// Passes an event to the machine; called under the lock.
    ///
    /// - Returns: The answers to callers, to be called after the lock was released.
    private func reduce(_ event: AccessMachine.Event, in state: inout State) -> [@Sendable () -> Void] {
        var answers: [@Sendable () -> Void] = []
        for effect in state.machine.reduce(event) {
            switch effect {
            case .grant(let caller, let login):
                let outcome: Answer =
                    if let session = state.session {
                        .success(Grant(session: session, login: login.number))
                    } else {
                        .failure(.notSignedIn)
                    }
                if let answer = state.answers.removeValue(forKey: caller) {
                    answers.append { answer(outcome) }
                }
                state.reasons[caller] = nil
            case .refuse(let caller, let refusal):
                let outcome = state.answer(for: refusal)
                if let answer = state.answers.removeValue(forKey: caller) {
                    answers.append { answer(outcome) }
                }
                state.reasons[caller] = nil
            case .present(let number, let caller):
                guard state.hasPresenter else {
                    answers += reduce(.presenterMissing(number), in: &state)
                    continue
                }
                let reason = state.reasons[caller] ?? .explicit
                let duties = state.machine.presentation?.phase == .duties ? state.duties : []
                queue.add { [self] in
                    stage.begin(number, because: reason, duties: duties, coordinator: self)
                }
            case .showDuties(let number):
                let duties = state.duties
                queue.add { [stage] in stage.show(duties, in: number) }
            case .restart(let number): queue.add { [stage] in stage.restart(number) }
            case .close(let number, let ending):
                let ending = LoginPresentation.Ending(ending)
                queue.add { [stage] in stage.end(number, as: ending) }
            }
        }
        return answers
    }
}

extension LoginPresentation.Ending {
    /// Creates the end of a presentation from the machine's; a missing presenter ends a presentation that was
    /// never shown.
    fileprivate init(_ ending: AccessMachine.Ending) {
        switch ending {
        case .finished: self = .finished
        case .dismissed, .noPresenter: self = .dismissed
        case .signedOut: self = .signedOut
        case .withdrawn: self = .withdrawn
        }
    }
}

extension LatchkeyError {
    /// Whether an action failed because of its session, so that it may run again with another one.
    fileprivate var concernsSession: Bool { code == .sessionEnded || code == .signedOut }

    fileprivate static let dismissed = LatchkeyError(.dismissed, message: "The user dismissed the login.")

    fileprivate static let dutyOpen = LatchkeyError(
        .dutyOpen,
        message: "The user is logged in, but has not fulfilled a duty, such as verifying an address."
    )

    fileprivate static let noPresenter = LatchkeyError(
        .noPresenter,
        message: "No user is logged in, and the app has set no presenter that could present a login."
    )

    fileprivate static let replacedDuringAction = LatchkeyError(
        .superseded,
        message: "The session ended during the action, and another user logged in."
    )
}
