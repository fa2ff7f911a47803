import LatchkeyModel
public import LatchkeyWire

/// A transport that returns successful responses in place of an identity server, unless a test has planned
/// another outcome.
///
/// The transport accepts every login, registration and code, so an app's tests can log a user in on any
/// platform without a server:
///
/// ```swift
/// var configuration = LatchkeyConfiguration(server: FakeIdentityServer.origin, app: "com.example.app")
/// configuration.store = MemoryStore()
/// configuration.deviceKeys = FakeDeviceKeys()
/// configuration.transport = FakeIdentityServer()
/// configuration.time = VirtualTime()
/// let latchkey = try LatchkeyClient(configuration)
/// ```
///
/// On Linux, you can use `LatchkeyTestKit` to run the real server in your test process.
public final class FakeIdentityServer: Transport {
    /// The outcome of a request.
    public enum Step: Sendable {
        /// The request gets a response.
        case respond(HTTP.Response)
        /// The transport fails.
        case fail(TransportError.Code)
    }

    /// The server's URL.
    public static let origin = "https://id.example.com"
    /// The session token that every login returns.
    public static let token = "lk_st_abcdefghijklmnopqrstuvwxyz012345"

    private struct State {
        var planned: [(route: String, step: Step)] = []
        var responses: [String: HTTP.Response] = [:]
        var held: Set<String> = []
        var waiting: [OneShot<Void>] = []
        var hooks: [(route: String, run: @Sendable () -> Void)] = []
        var requests: [HTTP.Request] = []
        var origins: [String] = []
        var refusals = 0
        var schema = "customer"
        var notAfter = "2026-05-30T00:00:00Z"
    }

    private let state = Locked(State())

    /// Creates a server that reports success by default.
    public init() {}

    /// The requests so far, as `METHOD /path?query`.
    public var log: [String] {
        requests.map { "\($0.method.rawValue) \($0.path)\($0.query.map { "?" + $0 } ?? "")" }
    }

    /// The requests so far.
    public var requests: [HTTP.Request] { state.withLock { $0.requests } }

    /// The origins that requests were sent to.
    package var origins: [String] { state.withLock { $0.origins } }

    /// The number of requests rejected by the checks that every transport makes.
    ///
    /// Callers should reject such requests before they reach a transport.
    package var refusals: Int { state.withLock { $0.refusals } }

    /// Removes all recorded requests.
    public func forgetRequests() {
        state.withLock { $0.requests = [] }
    }

    /// Sets the account's schema.
    public func set(schema: String) {
        state.withLock { $0.schema = schema }
    }

    /// Sets the expiry date for certificates issued from now on, in RFC 3339 format.
    public func set(notAfter: String) {
        state.withLock { $0.notAfter = notAfter }
    }

    /// Sets the outcomes of the next requests to a route (`METHOD /path`), in the given order.
    public func plan(_ route: String, _ steps: Step...) {
        state.withLock { $0.planned += steps.map { (route, $0) } }
    }

    /// Makes a route return the given response from now on.
    public func respond(to route: String, with response: HTTP.Response) {
        state.withLock { $0.responses[route] = response }
    }

    /// Makes requests to a route wait until ``release()`` is called or their task is cancelled.
    public func hold(_ route: String) {
        state.withLock { state in _ = state.held.insert(route) }
    }

    /// Lets all waiting requests continue.
    public func release() {
        let waiting = state.withLock { state in
            defer { (state.held, state.waiting) = ([], []) }
            return state.waiting
        }
        for gate in waiting { gate.set(()) }
    }

    private func wait(on route: String) async throws(TransportError) {
        let gate = OneShot<Void>()
        let isHeld = state.withLock { state in
            guard state.held.contains(route) else { return false }
            state.waiting.append(gate)
            return true
        }
        if isHeld, await gate.value == nil {
            throw TransportError(.cancelled, message: "The task was cancelled.")
        }
    }

    /// Calls a closure once, during the next request to a route.
    public func during(_ route: String, _ run: @escaping @Sendable () -> Void) {
        state.withLock { $0.hooks.append((route, run)) }
    }

    /// Records a request, and returns its planned outcome or a successful response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - origin: The scheme, host and port.
    ///   - limits: The limits for the response. Time limits are ignored, because no time passes.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyWire/TransportError``, with the planned code, `cancelled`, or `invalidResponse` if
    /// the response is larger than the limit, which is 1 MiB by default.
    public func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        do throws(TransportError) {
            _ = try request.url(at: origin)
        } catch {
            state.withLock { $0.refusals += 1 }
            throw error
        }
        let route = "\(request.method.rawValue) \(request.path)"
        let (hook, step) = state.withLock { state in
            state.requests.append(request)
            state.origins.append(origin)
            let hook = state.hooks.firstIndex { $0.route == route }.map { state.hooks.remove(at: $0).run }
            let step = state.planned.firstIndex { $0.route == route }.map {
                state.planned.remove(at: $0).step
            }
            return (hook, step)
        }
        hook?()
        try await wait(on: route)
        let response =
            switch step {
            case .respond(let response): response
            case .fail(let code): throw TransportError(code, message: "The test made this request fail.")
            case nil: answer(to: route)
            }
        return try response.received(as: request.method, limit: limits.bodyLimit)
    }

    private func answer(to route: String) -> HTTP.Response {
        let (schema, notAfter, planned) = state.withLock { ($0.schema, $0.notAfter, $0.responses[route]) }
        if let planned { return planned }
        switch route.replacing(" /self-service", with: " /a/self-service") {
        case "GET /a/self-service/login/api": return .json(200, #"{"id":"flow-login","ui":{"nodes":[]}}"#)
        case "GET /a/self-service/registration/api":
            return .json(200, #"{"id":"flow-signup","ui":{"nodes":[]}}"#)
        case "POST /identity/verification/flow/phone": return HTTP.Response(201)
        case "PATCH /identity/verification/flow/phone":
            return .json(200, #"{"message":"Phone verified successfully"}"#)
        case "POST /a/self-service/login", "POST /a/self-service/registration":
            return .json(
                200,
                #"{"session_token":"\#(Self.token)","session":\#(Self.session(schema)),"continue_with":null}"#
            )
        case "GET /a/sessions/whoami": return .json(200, Self.session(schema))
        case "PUT /identity/pki/client/certificates":
            return .json(
                200,
                #"{"certificate":"PEM","chain":["CA"],"serialNumber":"01","notAfter":"\#(notAfter)"}"#
            )
        default: return .refusal(404)
        }
    }

    /// Returns a session as the server would encode it, including members that the client doesn't know.
    package static func session(_ schema: String = "customer", first: String = "User") -> String {
        #"""
        {"id":"a29924fd-14d7-46ee-b329-73854e876405","active":true,"expires_at":"2026-12-21T08:11:20.7Z",
        "authenticated_at":"2026-11-21T08:11:20.715924705Z","authenticator_assurance_level":"aal9",
        "identity":{"id":"9a8cbfb3-87bd-4087-b48d-2569b1b43386","schema_id":"\#(schema)","state":"odd",
        "traits":{"phone":"+439999999999","name":{"first":"\#(first)","last":"Test"},"email":"a@example.org",
        "shoe_size":44},"verifiable_addresses":[{"unheard":"of"}]},"devices":7}
        """#
    }
}
