import LatchkeyModel
public import LatchkeyWire

/// A login that a ``Presenter`` shows: the screens of a server's flow and of the duties after it.
///
/// There is at most one per client at a time, however many actions wait for it. The presentation ends when a
/// user is logged in and has no open duties, no matter how: the presenter may also call the client's own
/// functions, and another process may log in.
@MainActor public final class LoginPresentation {
    /// The content of a screen.
    public enum Screen: Sendable {
        /// The client waits for the server.
        case loading
        /// The form of a login, a registration or a recovery.
        ///
        /// If the user has chosen a method, the flow contains only the nodes of this method.
        case form(Flow)
        /// The form of a duty of the user, who is logged in.
        case duty(Duty, Flow)
        /// A request failed; ``LoginPresentation/retry()`` repeats it.
        case failed(LatchkeyError)
        /// The presentation has ended; no other screen follows.
        case ended(Ending)
    }

    /// The end of a presentation.
    public enum Ending: Hashable, Sendable {
        /// A user is logged in.
        case finished
        /// The user dismissed the presentation. A session whose duties are open remains.
        case dismissed
        /// The user or the app signed out.
        case signedOut
        /// All actions that waited for the login were cancelled.
        case withdrawn
    }

    /// The reason of the first caller that waits for the login.
    public let reason: LoginReason

    /// The current screen.
    public private(set) var screen = Screen.loading

    /// Whether the form is that of ``LoginEntry/code(signUpSchema:)``: a registration that also logs existing users in.
    public private(set) var isEntry = false

    /// Whether the user is logged in and only has duties left, so that ``back()`` has no effect.
    public private(set) var isLoggedIn = false

    private let number: UInt32
    private let entry: LoginEntry
    private let flows: Flows
    private let coordinator: AccessCoordinator
    private var streams: [AsyncStream<Screen>.Continuation] = []

    /// The flow that is shown, with all its nodes.
    private var flow: Flow?
    /// The method that the user has chosen.
    private var way: LoginWay?
    /// The duties to fulfill, the current one first.
    ///
    /// Before the login, they are verifications that the server demands for it.
    private var duties: [OpenDuty] = []
    /// The operation in progress; further ones are ignored until it has ended.
    private var work: Task<Void, Never>?
    /// The operation to repeat after a failure.
    private var failedWork: (@MainActor (LoginPresentation) async -> Void)?
    /// The call of the presenter.
    var presenting: Task<Void, Never>?

    /// Creates a presentation; ``start()`` begins it.
    init(
        _ number: UInt32,
        because reason: LoginReason,
        duties: [OpenDuty],
        entry: LoginEntry,
        flows: Flows,
        coordinator: AccessCoordinator
    ) {
        (self.number, self.reason, self.flows, self.coordinator) = (number, reason, flows, coordinator)
        self.entry = entry
        (self.duties, isLoggedIn) = (duties, !duties.isEmpty)
    }

    /// The screens: the current one, then every change until the presentation has ended.
    ///
    /// Each access returns a stream of its own. A slow reader skips screens, but not the last one.
    public var screens: AsyncStream<Screen> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { stream in
            stream.yield(screen)
            if case .ended = screen { stream.finish() } else { streams.append(stream) }
        }
    }

    /// Whether the presentation has not ended.
    public var isOpen: Bool {
        if case .ended = screen { false } else { true }
    }

    // MARK: The user's actions

    /// Submits the user's answers to the form on the screen, and returns when the next screen is shown.
    ///
    /// Messages about rejected input are part of the next screen. Has no effect while another operation is in
    /// progress.
    ///
    /// - Parameter answers: The answers.
    public func submit(_ answers: FlowAnswers) async {
        await perform { await $0.submitNow(answers) }
    }

    /// Chooses a way to log in, and returns when its screen is shown.
    ///
    /// Has no effect if the form does not offer this method, or if the user is logged in and has duties.
    ///
    /// - Parameter way: The way.
    public func use(_ way: LoginWay) async {
        guard !isLoggedIn else { return }
        switch way {
        case .signUp: await perform { await $0.begin(.registration) }
        case .recovery: await perform { await $0.begin(.recovery) }
        default:
            guard let flow, flow.methods.contains(way.rawValue) else { return }
            self.way = way
            show(flow)
        }
    }

    /// Requests another code, if the form on the screen offers it.
    public func resend() async {
        guard let button = flow?.resendButton else { return }
        await submit(FlowAnswers(pressing: button))
    }

    /// Returns to the choice of methods, or begins the login again.
    ///
    /// Has no effect if the user is logged in and has duties.
    public func back() async {
        guard !isLoggedIn else { return }
        if way != nil, let flow, flow.state == .chooseMethod, flow.methods.count > 1 {
            way = nil
            show(flow)
        } else {
            await perform { await $0.beginEntry() }
        }
    }

    /// Repeats the operation that failed, if the screen is ``Screen/failed(_:)``.
    public func retry() async {
        guard case .failed = screen, let failedWork else { return }
        await perform(failedWork)
    }

    /// Ends the presentation at the user's request.
    ///
    /// All actions that wait for the login fail with ``LatchkeyError/Code/dismissed``, or with
    /// ``LatchkeyError/Code/dutyOpen`` if the user is logged in and has duties.
    public func dismiss() {
        coordinator.send(.dismissed(number))
    }

    // MARK: The coordinator's actions

    /// Begins the login, or shows the first duty.
    func start() {
        Task { await perform { await $0.duties.isEmpty ? $0.beginEntry() : $0.showDuty() } }
    }

    /// Shows the duties of the login that was stored, by this presentation or before.
    func show(_ duties: [OpenDuty]) {
        start(over: duties, isLoggedIn: true)
    }

    /// Begins the login again, because the session ended before its duties were fulfilled.
    func restart() {
        start(over: [], isLoggedIn: false)
    }

    private func start(over duties: [OpenDuty], isLoggedIn: Bool) {
        (self.duties, self.isLoggedIn) = (duties, isLoggedIn)
        work?.cancel()
        work = nil
        start()
    }

    /// Ends the presentation.
    func end(_ ending: Ending) {
        guard isOpen else { return }
        screen = .ended(ending)
        for stream in streams {
            stream.yield(screen)
            stream.finish()
        }
        streams = []
        work?.cancel()
        presenting?.cancel()
        (flow, failedWork) = (nil, nil)
    }

    // MARK: Operations

    /// Runs an operation unless another one is in progress or the presentation has ended.
    private func perform(_ operation: @escaping @MainActor (LoginPresentation) async -> Void) async {
        guard isOpen, work == nil else { return }
        failedWork = operation
        let task = Task { await operation(self) }
        work = task
        await task.value
        // A restart may have begun another operation.
        if work == task { work = nil }
    }

    /// Shows a screen, unless the presentation has ended or the operation was cancelled.
    private func show(_ screen: Screen) {
        guard isOpen, !Task.isCancelled else { return }
        // An operation ends with its screen, so that the presenter can respond to the screen at once.
        if case .loading = screen {} else { work = nil }
        self.screen = screen
        for stream in streams { stream.yield(screen) }
    }

    /// Shows a flow: as a duty if there is one, otherwise with the nodes of the chosen method.
    private func show(_ flow: Flow) {
        guard !Task.isCancelled else { return }
        self.flow = flow
        if let duty = duties.first {
            show(.duty(duty.duty, flow))
        } else {
            let limited = way.map { flow.limited(to: $0.rawValue) } ?? flow
            show(.form(isEntry ? limited.withoutOptionalTraits : limited))
        }
    }

    private func begin(_ kind: Flow.Kind) async {
        show(.loading)
        (duties, way, isEntry) = ([], nil, false)
        await attempt { flows throws(LatchkeyError) in try await flows.begin(kind) }
    }

    /// Begins with the first form of a login.
    private func beginEntry() async {
        guard case .code(let schema) = entry else { return await begin(.login) }
        show(.loading)
        (duties, way, isEntry) = ([], .code, true)
        await attempt { flows throws(LatchkeyError) in try await flows.begin(.registration, schema: schema) }
    }

    /// Sends a login code to the address of a sign-up whose code has proved that the user controls the address.
    ///
    /// - Parameter flow: The registration that was rejected because the address belongs to an account.
    private func continueAsLogin(_ flow: Flow) async {
        guard let address = flow.addressOfSignUp else { return await begin(.login) }
        show(.loading)
        do throws(LatchkeyError) {
            let login = try await flows.engine.sendLoginCode(to: address, in: flows.engine.begin(.login))
            // After an error, the sign-up is submitted again, and leads here once more.
            isEntry = false
            show(login)
        } catch {
            show(.failed(error))
        }
    }

    private func showDuty() async {
        guard let duty = duties.first else { return }
        show(.loading)
        await attempt { flows throws(LatchkeyError) in
            guard let id = duty.flow else { return try await flows.begin(.verification) }
            do throws(LatchkeyError) {
                return try await flows.flow(.verification, id: id)
            } catch  where error.code == .flowExpired || error.code == .flowUnknown {
                return try await flows.begin(.verification)
            }
        }
    }

    /// Shows the flow that a request returns, or its error.
    private func attempt(
        _ request: @Sendable (Flows) async throws(LatchkeyError) -> Flow
    ) async {
        do throws(LatchkeyError) {
            show(try await request(flows))
        } catch {
            show(.failed(error))
        }
    }

    private func submitNow(_ answers: FlowAnswers) async {
        guard let flow else { return }
        let isLogin = duties.isEmpty
        if isLogin { coordinator.send(.admitting(number)) }
        do throws(LatchkeyError) {
            let outcome = try await flows.submit(answers, to: flow)
            if case .signedIn(let session, let next) = outcome {
                // The coordinator ends the presentation, or shows the duties.
                return coordinator.admitted(session, duties: OpenDuty.duties(in: next), by: number)
            }
            if isLogin { coordinator.send(.admissionFailed(number)) }
            await proceed(after: outcome)
        } catch {
            if isLogin { coordinator.send(.admissionFailed(number)) }
            guard error.code == .flowExpired || error.code == .flowUnknown else {
                return show(.failed(error))
            }
            guard duties.isEmpty else { return await showDuty() }
            await isEntry ? beginEntry() : begin(flow.kind)
        }
    }

    /// Continues after a submission that opened no session.
    private func proceed(after outcome: FlowOutcome) async {
        switch outcome {
        case .continues(let next, _) where isEntry && next.isForExistingAccount:
            await continueAsLogin(next)
        case .continues(let next, _): show(next)
        case .completed:
            guard !duties.isEmpty else { return await beginEntry() }
            duties.removeFirst()
            if isLoggedIn { coordinator.dutyFulfilled(in: number) }
            if !duties.isEmpty { return await showDuty() }
            if !isLoggedIn { await beginEntry() }
        case .registered(let next):
            duties = OpenDuty.duties(in: next)
            await duties.isEmpty ? beginEntry() : showDuty()
        case .addressVerificationRequired(let next):
            duties = OpenDuty.duties(in: next)
            if duties.isEmpty { duties = [OpenDuty(duty: .verifyAddress(nil), flow: nil)] }
            await showDuty()
        case .replaced(let id):
            guard let kind = flow?.kind else { return }
            await attempt { flows throws(LatchkeyError) in try await flows.flow(kind, id: id) }
        case .reauthenticationRequired, .browserRequired, .signedIn:
            show(.failed(LatchkeyError(.refused, message: "The login can only continue in a browser.")))
        }
    }
}

extension FlowNode {
    /// Whether the node is the button that requests another code.
    fileprivate var isResendButton: Bool {
        guard let input, input.isButton, let label else { return false }
        return label.id == MessageID.resend.rawValue
    }
}

extension Flow {
    /// The flow without the inputs for traits that the user may leave empty and that have no value.
    fileprivate var withoutOptionalTraits: Flow {
        var flow = self
        flow.nodes = nodes.filter { node in
            guard let input = node.input, !input.isButton, input.kind != .hidden else { return true }
            return input.isRequired || input.value != nil || !input.name.hasPrefix("traits.")
        }
        return flow
    }

    /// The address of a registration with a code; `nil` if the form contains none.
    fileprivate var addressOfSignUp: ContactAddress? {
        nodes.lazy.compactMap(\.input).filter { $0.name.hasPrefix("traits.") }
            .compactMap { $0.value?.text.flatMap { ContactAddress($0) } }.first
    }

    /// The button that requests another code; `nil` if the form has none.
    public var resendButton: FlowNode? {
        nodes.first(where: \.isResendButton)
    }

    /// Returns the flow with only those nodes that all methods share or that belong to one method.
    ///
    /// - Parameter method: The name of the method, such as `password`.
    /// - Returns: The flow; its id and messages are unchanged.
    public func limited(to method: String) -> Flow {
        var flow = self
        flow.nodes = nodes.filter { $0.group == .common || $0.group.rawValue == method }
        return flow
    }
}
