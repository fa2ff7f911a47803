import LatchkeyModel
import LatchkeyWire

/// Runs actions with the current session, and presents a login when one is needed.
///
/// The coordinator drives ``AccessMachine``. Every decision is made by the machine under a lock, and callers
/// are resumed after the lock is released. Presentations begin and end on the main actor, in the order
/// requested by the machine.
package final class AccessCoordinator: Sendable {
    /// The session that a caller receives.
    struct Grant: Sendable {
        let session: UserSession
        /// The number of the login that created the session.
        let login: UInt32
    }

    /// The response to a caller: a grant, an error, or `nil` if the caller's action isn't run again.
    typealias Answer = Result<Grant?, LatchkeyError>

    /// A caller's reason for needing a session, and the slot of its client.
    private struct Wish {
        let reason: LoginReason
        let slot: PresenterSlot
    }

    private struct State {
        var machine = AccessMachine()
        /// The session that the machine's status refers to.
        var session: UserSession?
        /// The reason why the status is `unavailable`.
        var storeError: LatchkeyError?
        /// The numbers assigned to the accounts that have logged in, keyed by account id.
        var accounts: [String: UInt32] = [:]
        /// Callbacks for the waiting callers.
        ///
        /// A callback is removed when its caller is resumed or cancelled.
        var answers: [AccessMachine.Caller: @Sendable (Answer) -> Void] = [:]
        var callerCount: AccessMachine.Caller = 0
        /// The requests of the waiting callers.
        var wishes: [AccessMachine.Caller: Wish] = [:]
        /// The required steps that the server named for the current login, in order.
        var duties: [OpenDuty] = []
        var presenters = PresenterSlots()
        /// The number of sign-outs in this process.
        var signOuts: UInt32 = 0

        /// Stores a new session state and returns the corresponding machine status.
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

        /// Returns the response to a caller that doesn't receive a session.
        func answer(for refusal: AccessMachine.Refusal) -> Answer {
            switch refusal {
            case .signedOut: .failure(.notSignedIn)
            case .dismissed: .failure(.dismissed)
            case .dutyRequired: .failure(.dutyRequired)
            case .noPresenter: .failure(.noPresenter)
            case .unavailable: .failure(storeError ?? .notSignedIn)
            case .superseded: .failure(.replacedDuringAction)
            case .notRepeated: .success(nil)
            }
        }

        /// Returns the number assigned to an account, and assigns one if it is new.
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
    /// Runs the code that starts and ends presentations, in the order of the state machine's requests.
    private let queue = MainActorQueue()
    private let stage: PresentationStage

    /// Creates a coordinator that observes the keeper's session.
    package init(
        keeper: SessionKeeper,
        flows: FlowEngine,
        requests: AuthorizedRequests,
        browserSignIn: BrowserSignIn? = nil
    ) {
        (self.keeper, self.requests) = (keeper, requests)
        stage = PresentationStage(flows: flows, browserSignIn: browserSignIn)
        keeper.follow { [weak self] change in
            guard let self else { return }
            let answers = receive(change)
            // This closure is called under the keeper's lock, so the callers have to be resumed later.
            if !answers.isEmpty { Task { for answer in answers { answer() } } }
        }
    }

    // MARK: Presenters

    /// Records that a client has set or removed its presenter.
    func update(_ slot: PresenterSlot, hasPresenter: Bool) {
        state.withLock { $0.presenters.update(slot, hasPresenter: hasPresenter) }
    }

    // MARK: Callers

    /// Returns the start of an action that begins now, so that a later sign-out ends it.
    package func actionStart() -> ActionStart {
        ActionStart(coordinator: ObjectIdentifier(self), signOuts: state.withLock(\.signOuts))
    }

    /// The number of callers that are waiting for a session.
    ///
    /// Only tests use this property.
    package var waitingCallers: Int {
        state.withLock { $0.machine.waiters.count }
    }

    /// Returns the current session, and presents a login first if no user is logged in.
    ///
    /// - Parameters:
    ///   - reason: The reason to show if a login is presented.
    ///   - slot: The slot of the calling client, whose presenter is preferred.
    /// - Returns: The session of the logged-in user.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/dismissed``,
    ///   ``LatchkeyError/Code/noPresenter``, ``LatchkeyError/Code/signedOut`` if the user signs out,
    ///   ``LatchkeyError/Code/dutyRequired`` or ``LatchkeyError/Code/cancelled``, or the code of a store error.
    package func logIn(
        because reason: LoginReason,
        for slot: PresenterSlot
    ) async throws(LatchkeyError) -> UserSession {
        await keeper.ready()
        let caller = newCaller(Wish(reason: reason, slot: slot))
        guard let grant = try await answer(to: caller, event: .asked(caller, .login)) else {
            throw keeper.settled(.notSignedIn)
        }
        return grant.session
    }

    /// Runs an action with the current session.
    ///
    /// - Parameters:
    ///   - policy: Whether to present a login if no user is logged in.
    ///   - reason: The reason to show if a login is presented.
    ///   - retry: Whether the action may run a second time if the session ends while it is running, or if
    ///     the server requires a step of the user first, such as verifying an address.
    ///   - slot: The slot of the calling client, whose presenter is preferred.
    ///   - action: The action to run.
    /// - Returns: The value returned by the action.
    /// - Throws: The unchanged error thrown by the action, or ``LatchkeyError`` if no session was available.
    package func run<Value: Sendable>(
        _ policy: LoginPolicy,
        because reason: LoginReason,
        retry: RetryPolicy,
        for slot: PresenterSlot,
        action: @Sendable (SessionAccess) async throws -> Value
    ) async throws -> Value {
        await keeper.ready()
        let wish = Wish(reason: reason, slot: slot)
        let caller = newCaller(wish)
        guard var grant = try await answer(to: caller, event: .asked(caller, .action(policy))) else {
            throw keeper.settled(.notSignedIn)
        }
        while true {
            let access = SessionAccess(
                session: grant.session,
                login: grant.login,
                keeper: keeper,
                requests: requests,
                retry: retry
            )
            do {
                let value = try await action(access)
                send(.finished(caller))
                return value
            } catch {
                guard let failure = error as? LatchkeyError, !Task.isCancelled,
                    let next = try await next(after: failure, of: caller, wish: wish, access: access)
                else {
                    send(.finished(caller))
                    throw error
                }
                grant = next
            }
        }
    }

    /// Returns the session for running a failed action again, or `nil` if the action isn't run again.
    ///
    /// An action is run again if its session has ended and the user has logged in again, or if the user has
    /// completed the step that the server requires for it.
    private func next(
        after failure: LatchkeyError,
        of caller: AccessMachine.Caller,
        wish: Wish,
        access: SessionAccess
    ) async throws(LatchkeyError) -> Grant? {
        let mayRepeat = access.mayRepeat
        if failure.concernsSession {
            state.withLock { $0.wishes[caller] = Wish(reason: .sessionEnded, slot: wish.slot) }
            return try await answer(to: caller, event: .sessionEnded(caller, mayRepeat: mayRepeat))
        }
        guard let duty = failure.presentableDuty else { return nil }
        state.withLock { state in
            state.wishes[caller] = wish
            if state.machine.openDuties == 0 { state.duties = [OpenDuty(duty: duty, flow: nil)] }
        }
        do throws(LatchkeyError) {
            return try await answer(to: caller, event: .dutyRequired(caller, mayRepeat: mayRepeat))
        } catch  where error.code == .dutyRequired {
            // The server's own error is more specific.
            return nil
        }
    }

    /// Assigns a number to a new caller, and stores its request.
    private func newCaller(_ wish: Wish) -> AccessMachine.Caller {
        state.withLock { state in
            state.callerCount &+= 1
            state.wishes[state.callerCount] = wish
            return state.callerCount
        }
    }

    /// Sends a caller's event to the machine, and waits for the response or for cancellation.
    ///
    /// If an error is thrown, its `isStillSignedIn` property reflects the current state.
    ///
    /// - Returns: The session, or `nil` if the caller's action isn't run again.
    private func answer(
        to caller: AccessMachine.Caller,
        event: AccessMachine.Event
    ) async throws(LatchkeyError) -> Grant? {
        guard !Task.isCancelled else {
            send(.left(caller)) { $0.wishes[caller] = nil }
            throw keeper.settled(.cancelled)
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
                let answers = state.withLock { state -> [@Sendable () -> Void] in
                    // The machine itself ends actions that run already.
                    if case .asked = event, let start = ActionStart.current,
                        start.coordinator == ObjectIdentifier(self), start.signOuts != state.signOuts
                    {
                        state.wishes[caller] = nil
                        return [{ continuation.resume(returning: .failure(.notSignedIn)) }]
                    }
                    state.answers[caller] = { continuation.resume(returning: $0) }
                    return reduce(event, in: &state)
                }
                for answer in answers { answer() }
                if Task.isCancelled { leave(caller) }
            }
        } onCancel: {
            leave(caller)
        }
        do throws(LatchkeyError) {
            return try answer.get()
        } catch {
            throw keeper.settled(error)
        }
    }

    /// Removes a cancelled caller, and resumes it with `cancelled` unless it has already been resumed.
    private func leave(_ caller: AccessMachine.Caller) {
        var answer: (@Sendable (Answer) -> Void)?
        let answers = state.withLock { state -> [@Sendable () -> Void] in
            answer = state.answers.removeValue(forKey: caller)
            state.wishes[caller] = nil
            return answer == nil ? [] : reduce(.left(caller), in: &state)
        }
        for answer in answers { answer() }
        answer?(.failure(.cancelled))
    }

    /// Logs why a login in another app has failed, after which the form is shown.
    func logFailedHandOff(_ error: LatchkeyError) {
        keeper.logger?.log(
            LogEvent(
                level: .warning,
                name: "login.handOff",
                message: "The login in the other app has failed (\(error.code))."
            )
        )
    }

    // MARK: Events

    /// Sends an event to the machine, and resumes the callers that the machine has responded to.
    func send(_ event: AccessMachine.Event) {
        send(event) { _ in }
    }

    /// Called when a login has been stored.
    ///
    /// - Parameters:
    ///   - session: The session that the login created, which may already have been replaced by another one.
    ///   - duties: The required steps that the user must complete before callers are resumed.
    ///   - number: The number of the presentation.
    func admitted(_ session: UserSession, duties: [OpenDuty], by number: UInt32) {
        let count = UInt8(clamping: duties.count)
        let answers = state.withLock { state -> [@Sendable () -> Void] in
            // The keeper never uses the number 0, so this login never matches the current one.
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

    /// Called when the user has completed the first required step.
    func dutyFulfilled(in number: UInt32) {
        send(.dutyFulfilled(number)) { state in
            if !state.duties.isEmpty { state.duties.removeFirst() }
        }
    }

    /// Sends an event to the machine, and resumes the callers that the machine has responded to.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - prepare: A closure that changes the state under the same lock, before the machine receives the
    ///     event.
    private func send(_ event: AccessMachine.Event, preparing prepare: (inout State) -> Void) {
        let answers = state.withLock { state in
            prepare(&state)
            return reduce(event, in: &state)
        }
        for answer in answers { answer() }
    }

    /// Forwards a session change from the keeper to the machine.
    ///
    /// - Parameter change: The session change.
    /// - Returns: Closures to call after the lock has been released. Each closure resumes a caller.
    private func receive(_ change: SessionChange) -> [@Sendable () -> Void] {
        state.withLock { state in
            switch change {
            case .signedOut:
                state.signOuts &+= 1
                return reduce(.signedOut, in: &state)
            case .state(let sessionState, let login):
                return reduce(.sessionChanged(state.apply(sessionState, login: login)), in: &state)
            }
        }
    }

    /// Sends an event to the machine.
    ///
    /// Must be called under the lock.
    ///
    /// - Returns: Closures to call after the lock has been released. Each closure resumes a caller.
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
                state.wishes[caller] = nil
            case .refuse(let caller, let refusal):
                let outcome = state.answer(for: refusal)
                if let answer = state.answers.removeValue(forKey: caller) {
                    answers.append { answer(outcome) }
                }
                state.wishes[caller] = nil
            case .present(let number, let caller):
                let wish = state.wishes[caller]
                let candidates = state.presenters.candidates(for: wish?.slot)
                guard !candidates.isEmpty else {
                    answers += reduce(.presenterMissing(number), in: &state)
                    continue
                }
                let duties = state.machine.presentation?.phase == .duties ? state.duties : []
                queue.add { [self] in
                    stage.begin(
                        number,
                        because: wish?.reason ?? .explicit,
                        duties: duties,
                        entry: wish?.slot.entry ?? .login,
                        chooseApp: wish?.slot.chooseApp,
                        among: candidates,
                        coordinator: self
                    )
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
    /// Converts the machine's reason for the end of a presentation to the one that presenters receive.
    ///
    /// If there was no presenter, the presentation never appeared and counts as dismissed.
    fileprivate init(_ ending: AccessMachine.Ending) {
        switch ending {
        case .finished: self = .finished
        case .dismissed, .noPresenter: self = .dismissed
        case .signedOut: self = .signedOut
        case .withdrawn: self = .withdrawn
        }
    }
}

extension AccessCoordinator: CustomReflectable {
    /// A mirror without children, so that `dump` doesn't print the session and the waiting callers.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
