import LatchkeyModel
public import LatchkeyWire

/// A login that a ``Presenter`` shows to the user.
///
/// A presentation provides the screens of the login flow, followed by any steps that the server requires
/// after the login. A client presents at most one login at a time, even if several actions are waiting for
/// it. The presentation ends as soon as a user is logged in and has completed the required steps. The
/// presentation also ends if the presenter calls the client's own login functions, or if the user logs in
/// through another process.
@MainActor public final class LoginPresentation {
    /// The content to show.
    public enum Screen: Sendable {
        /// The client is waiting for the server.
        case loading
        /// A form for login, registration or recovery.
        ///
        /// If the user has chosen a method, the flow only contains the nodes for that method.
        case form(Flow)
        /// The user logs in in a browser.
        ///
        /// Offer to open the page again with ``LoginPresentation/use(_:)``, and to return with
        /// ``LoginPresentation/back()``. The other ways to log in can still be used. The first one that succeeds
        /// ends the presentation.
        case browser
        /// The user confirms the login in another app, whose name is ``LoginPresentation/otherAppName``.
        ///
        /// Offer to open that app again with ``LoginPresentation/use(_:)``, and to log in here with
        /// ``LoginPresentation/back()``. Coming back without an answer isn't a cancellation. The first login that
        /// succeeds, here or there, ends the presentation.
        case otherApp
        /// A form for a step that the user, who is already logged in, must complete.
        case duty(Duty, Flow)
        /// A request failed. Call ``LoginPresentation/retry()`` to try again.
        case failed(LatchkeyError)
        /// The presentation has ended. This is the last screen.
        case ended(Ending)
    }

    /// The reason why a presentation ended.
    public enum Ending: Hashable, Sendable {
        /// A user is logged in.
        case finished
        /// The user dismissed the presentation. If the user was already logged in, the session is kept.
        case dismissed
        /// The user or the app signed out.
        case signedOut
        /// All actions that were waiting for the login were cancelled.
        case withdrawn
    }

    /// The reason why the login is presented.
    ///
    /// If several actions are waiting, this is the reason given by the first one.
    public let reason: LoginReason

    /// The current screen.
    public private(set) var screen = Screen.loading

    /// Whether the current form is the one described by ``LoginStart/code(signUpSchema:)``, which registers
    /// new users and logs existing users in.
    public private(set) var isLoginOrSignUp = false

    /// Whether the user is already logged in and only required steps are left.
    ///
    /// In this case, ``back()`` has no effect.
    public private(set) var isLoggedIn = false

    /// Opens the provider's pages, or `nil` if users can't log in in a browser.
    ///
    /// The presenter sets this before it shows the first form.
    public var browser: (any BrowserHandOff)?

    /// The app's wishes for a login in a browser.
    public var browserOptions = AuthorizationOptions()

    /// Whether the user can log in in a browser, for which the app must be registered as an OAuth client.
    public var canUseBrowser: Bool { browser != nil && browserSignIn != nil }

    /// The name of the app in which the user can confirm the login instead, or `nil` if there is none.
    public var otherAppName: String? { handOff?.name }

    /// Why the login in the other app has failed, which is shown above the form, or `nil` if it hasn't.
    public internal(set) var handOffError: LatchkeyError?

    let number: UInt32
    private let entry: LoginStart
    private let flows: Flows
    let browserSignIn: BrowserSignIn?
    let coordinator: AccessCoordinator
    private var streams: [AsyncStream<Screen>.Continuation] = []

    /// The current flow with all its nodes, including those that aren't shown.
    private(set) var flow: Flow?
    private var method: LoginMethod?
    /// The required steps that are left, starting with the current one.
    ///
    /// Until the user is logged in, the list only contains address verifications that the server requires
    /// before a login.
    private var duties: [OpenDuty] = []
    /// The operation in progress.
    ///
    /// New operations are ignored until this one has finished.
    private(set) var work: Task<Void, Never>?
    /// The operation that ``retry()`` repeats.
    var failedWork: (@MainActor (LoginPresentation) async -> Void)?
    /// The login in a browser that is waiting for the user.
    var visit: Task<Void, Never>?
    /// Chooses the other app, unless it was asked already.
    var chooseApp: (@MainActor () async -> AppHandOff?)?
    /// The other app, or `nil` if the user can't log in there.
    var handOff: AppHandOff?
    /// The request in the other app, or `nil` if there is none.
    var otherAppRequest: OtherAppRequest?
    /// Whether the screens are those of the login in the other app.
    var isInOtherApp = false
    /// The task that calls the presenter.
    var presenting: Task<Void, Never>?

    /// Creates a presentation.
    ///
    /// Call ``start()`` to begin the presentation.
    init(
        _ number: UInt32,
        because reason: LoginReason,
        duties: [OpenDuty],
        entry: LoginStart,
        flows: Flows,
        browserSignIn: BrowserSignIn?,
        chooseApp: (@MainActor () async -> AppHandOff?)?,
        coordinator: AccessCoordinator
    ) {
        (self.browserSignIn, self.chooseApp) = (browserSignIn, chooseApp)
        (self.number, self.reason, self.flows, self.coordinator) = (number, reason, flows, coordinator)
        self.entry = entry
        (self.duties, isLoggedIn) = (duties, !duties.isEmpty)
    }

    /// The current screen, followed by every change until the presentation ends.
    ///
    /// Each access returns a new stream. If the reader is slow, screens may be skipped, but the last one is
    /// always delivered.
    public var screens: AsyncStream<Screen> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { stream in
            stream.yield(screen)
            if case .ended = screen { stream.finish() } else { streams.append(stream) }
        }
    }

    /// The identity server's host, such as `id.example.com`.
    ///
    /// Show the host next to the forms, so that users see who asks for their password.
    public var serverHost: String { flows.serverHost }

    /// The user's preferred languages, for texts that the forms don't contain.
    ///
    /// See ``Flows/languages``.
    public var languages: [String] { flows.languages }

    /// Whether the presentation is still in progress.
    public var isOpen: Bool {
        if case .ended = screen { false } else { true }
    }

    // MARK: The user's actions

    /// Submits the user's answers to the current form, and returns when the next screen is shown.
    ///
    /// If the server rejects any input, the next screen includes the error messages. This method has no
    /// effect while another operation is in progress.
    ///
    /// - Parameter answers: The values that the user entered.
    public func submit(_ answers: FlowSubmission) async {
        await perform { await $0.submitNow(answers) }
    }

    /// Selects a way to log in, and returns when its screen is shown.
    ///
    /// This method has no effect if the form doesn't offer this way to log in, or if the user is already
    /// logged in. A login in a browser or another app continues while the form is used. Selecting
    /// ``LoginMethod/browser`` again opens a new page, and selecting ``LoginMethod/otherApp`` again shows the same
    /// request.
    ///
    /// - Parameter method: One of the methods that the form offers.
    public func use(_ method: LoginMethod) async {
        guard !isLoggedIn else { return }
        if method == .otherApp {
            guard handOff != nil else { return }
            return await perform { await $0.openOtherApp() }
        }
        isInOtherApp = false
        switch method {
        case .signUp: await perform { await $0.begin(.registration) }
        case .recovery: await perform { await $0.begin(.recovery) }
        case .browser:
            guard canUseBrowser else { return }
            await perform { $0.openBrowser() }
        default:
            guard let flow, flow.methods.contains(method.rawValue) else { return }
            self.method = method
            show(flow)
        }
    }

    /// Requests a new code if the current form offers this.
    public func resend() async {
        guard let button = flow?.resendButton else { return }
        await submit(FlowSubmission(pressing: button))
    }

    /// Goes back to the choice of methods, or restarts the login.
    ///
    /// This method has no effect if the user is already logged in.
    public func back() async {
        guard !isLoggedIn else { return }
        if isInOtherApp {
            isInOtherApp = false
            return await perform { await $0.showForm() }
        }
        if case .browser = screen {
            visit?.cancel()
            if let flow { return show(flow) }
        }
        if method != nil, let flow, flow.state == .chooseMethod, flow.methods.count > 1 {
            method = nil
            show(flow)
        } else {
            await perform { await $0.beginLogin() }
        }
    }

    /// Repeats the operation that failed, if the current screen is ``Screen/failed(_:)``.
    public func retry() async {
        guard case .failed = screen, let failedWork else { return }
        await perform(failedWork)
    }

    /// Ends the presentation because the user dismissed it.
    ///
    /// All actions that are waiting for the login fail with ``LatchkeyError/Code/dismissed``, or with
    /// ``LatchkeyError/Code/dutyRequired`` if the user is already logged in but has required steps left.
    public func dismiss() {
        coordinator.send(.dismissed(number))
    }

    // MARK: The coordinator's actions

    /// Begins the login, or shows the first required step.
    func start() {
        Task { await perform { await $0.duties.isEmpty ? $0.begin() : $0.showDuty() } }
    }

    /// Shows the required steps after a login has been stored.
    func show(_ duties: [OpenDuty]) {
        start(over: duties, isLoggedIn: true)
    }

    /// Restarts the login, because the session ended before the required steps were completed.
    func restart() {
        start(over: [], isLoggedIn: false)
    }

    private func start(over duties: [OpenDuty], isLoggedIn: Bool) {
        (self.duties, self.isLoggedIn) = (duties, isLoggedIn)
        work?.cancel()
        work = nil
        visit?.cancel()
        (otherAppRequest, isInOtherApp) = (nil, false)
        start()
    }

    func end(_ ending: Ending) {
        guard isOpen else { return }
        screen = .ended(ending)
        for stream in streams {
            stream.yield(screen)
            stream.finish()
        }
        streams = []
        work?.cancel()
        visit?.cancel()
        presenting?.cancel()
        (flow, failedWork, otherAppRequest) = (nil, nil, nil)
    }

    // MARK: Operations

    /// Runs an operation, unless another one is in progress or the presentation has ended.
    func perform(_ operation: @escaping @MainActor (LoginPresentation) async -> Void) async {
        guard isOpen, work == nil else { return }
        failedWork = operation
        let task = Task { await operation(self) }
        work = task
        await task.value
        // If the login was restarted in the meantime, `work` may already be a different operation.
        if work == task { work = nil }
    }

    /// Runs an operation that follows the current one.
    func performNext(_ operation: @escaping @MainActor (LoginPresentation) async -> Void) async {
        work = nil
        await perform(operation)
    }

    /// Shows a screen, unless the presentation has ended or the current operation was cancelled.
    func show(_ screen: Screen) {
        guard isOpen, !Task.isCancelled else { return }
        // We end the operation before showing its screen, so that the presenter can immediately start the
        // next one.
        if case .loading = screen {} else { work = nil }
        self.screen = screen
        for stream in streams { stream.yield(screen) }
    }

    /// Shows a flow, either as a required step or as a form with the nodes for the chosen method.
    func show(_ flow: Flow) {
        guard !Task.isCancelled else { return }
        self.flow = flow
        if let duty = duties.first {
            show(.duty(duty.duty, flow))
        } else {
            let limited = method.map { flow.limited(to: $0.rawValue) } ?? flow
            show(.form(isLoginOrSignUp ? limited.withoutOptionalTraits : limited))
        }
    }

    /// Shows the form again, or begins the login if there is none yet.
    func showForm() async {
        if let flow { show(flow) } else { await beginLogin() }
    }

    private func begin(_ kind: Flow.Kind) async {
        show(.loading)
        (duties, method, isLoginOrSignUp) = ([], nil, false)
        await attempt { flows throws(LatchkeyError) in try await flows.begin(kind) }
    }

    /// Begins the login with the form specified by ``entry``.
    func beginLogin() async {
        guard case .code(let schema) = entry else { return await begin(.login) }
        show(.loading)
        (duties, method, isLoginOrSignUp) = ([], .code, true)
        await attempt { flows throws(LatchkeyError) in try await flows.begin(.registration, schema: schema) }
    }

    /// Sends a login code when a sign-up turns out to be for an existing account.
    ///
    /// The user has already proved with the sign-up code that they control the address.
    ///
    /// - Parameter flow: The registration flow that was rejected because the address belongs to an account.
    private func continueAsLogin(_ flow: Flow) async {
        guard let address = flow.addressOfSignUp else { return await begin(.login) }
        show(.loading)
        do throws(LatchkeyError) {
            let login = try await flows.engine.sendLoginCode(to: address, in: flows.engine.begin(.login))
            // If this fails, the user can retry. The retry submits the sign-up again and ends up here, so
            // `isLoginOrSignUp` must still be `true` at that point.
            isLoginOrSignUp = false
            show(login)
        } catch {
            show(.failed(error))
        }
    }

    private func showDuty() async {
        guard let duty = duties.first else { return }
        show(.loading)
        await attempt { flows throws(LatchkeyError) in
            if duty.duty.kind == .reauthenticate {
                return try await flows.begin(.login, reauthenticating: true)
            }
            guard let id = duty.flow else { return try await flows.begin(.verification) }
            do throws(LatchkeyError) {
                return try await flows.flow(.verification, id: id)
            } catch  where error.code == .flowExpired || error.code == .flowUnknown {
                return try await flows.begin(.verification)
            }
        }
    }

    /// Shows the flow returned by a request, or the error it throws.
    private func attempt(
        _ request: @Sendable (Flows) async throws(LatchkeyError) -> Flow
    ) async {
        do throws(LatchkeyError) {
            show(try await request(flows))
        } catch {
            show(.failed(error))
        }
    }

    private func submitNow(_ answers: FlowSubmission) async {
        guard let flow else { return }
        handOffError = nil
        let isLogin = duties.isEmpty
        if isLogin { coordinator.send(.admitting(number)) }
        do throws(LatchkeyError) {
            let outcome = try await flows.submit(answers, to: flow)
            if case .signedIn = outcome, duties.first?.duty.kind == .reauthenticate {
                return await completeDuty()
            }
            if case .signedIn(let session, let next) = outcome {
                // The coordinator either ends the presentation or shows the required steps.
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
            await isLoginOrSignUp ? beginLogin() : begin(flow.kind)
        }
    }

    /// Continues after the user has completed the first required step.
    private func completeDuty() async {
        duties.removeFirst()
        if isLoggedIn { coordinator.dutyFulfilled(in: number) }
        if !duties.isEmpty { return await showDuty() }
        if !isLoggedIn { await beginLogin() }
    }

    /// Shows the next screen after a submission that didn't create a session.
    private func proceed(after outcome: FlowOutcome) async {
        switch outcome {
        case .continues(let next, _) where isLoginOrSignUp && next.isForExistingAccount:
            await continueAsLogin(next)
        case .continues(let next, _): show(next)
        case .completed:
            guard !duties.isEmpty else { return await beginLogin() }
            await completeDuty()
        case .registered(let next):
            duties = OpenDuty.duties(in: next)
            await duties.isEmpty ? beginLogin() : showDuty()
        case .addressVerificationRequired(let next):
            duties = OpenDuty.duties(in: next)
            if duties.isEmpty { duties = [OpenDuty(duty: .verifyAddress(nil), flow: nil)] }
            await showDuty()
        case .replaced(let id):
            guard let kind = flow?.kind else { return }
            await attempt { flows throws(LatchkeyError) in try await flows.flow(kind, id: id) }
        case .browserRequired where canUseBrowser && duties.isEmpty: openBrowser()
        case .reauthenticationRequired, .browserRequired, .signedIn:
            show(.failed(LatchkeyError(.refused, message: "The login can only continue in a browser.")))
        }
    }
}
