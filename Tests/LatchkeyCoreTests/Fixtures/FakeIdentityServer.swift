import Foundation
import LatchkeyCore
import LatchkeyModel
import LatchkeyWire

/// A transport that responds as the identity server does in the normal case, unless a test has set
/// another outcome.
final class FakeIdentityServer: Transport {
    /// The outcome of a request.
    enum Step: Sendable {
        case answer(HTTP.Response)
        case fail(TransportError.Code)
    }

    static let origin = "https://id.example.com"
    static let token = "lk_st_abcdefghijklmnopqrstuvwxyz012345"

    private struct State {
        var planned: [(route: String, step: Step)] = []
        var answers: [String: HTTP.Response] = [:]
        var held: Set<String> = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var hooks: [(route: String, run: @Sendable () -> Void)] = []
        var requests: [HTTP.Request] = []
        var origins: [String] = []
        var refusals = 0
        var schema = "customer"
        var notAfter = "2026-05-30T00:00:00Z"
    }

    private let state = Locked(State())

    /// The requests as `METHOD /path?query`.
    var log: [String] {
        requests.map { "\($0.method.rawValue) \($0.path)\($0.query.map { "?" + $0 } ?? "")" }
    }

    var requests: [HTTP.Request] { state.withLock { $0.requests } }

    var origins: [String] { state.withLock { $0.origins } }

    /// The number of requests that were rejected by the checks of every transport; callers should reject such
    /// requests before they use a transport.
    var refusals: Int { state.withLock { $0.refusals } }

    func forgetRequests() {
        state.withLock { $0.requests = [] }
    }

    /// The schema of the account.
    func set(schema: String) {
        state.withLock { $0.schema = schema }
    }

    /// The lifespan of certificates that are issued from now on.
    func set(notAfter: String) {
        state.withLock { $0.notAfter = notAfter }
    }

    /// Sets the outcomes of future requests to a route, in the given order; a route is `METHOD /path`.
    func plan(_ route: String, _ steps: Step...) {
        state.withLock { $0.planned += steps.map { (route, $0) } }
    }

    /// Makes a route return one response from now on.
    func answer(_ route: String, _ response: HTTP.Response) {
        state.withLock { $0.answers[route] = response }
    }

    /// Makes the requests to a route wait for ``release()``.
    func hold(_ route: String) {
        state.withLock { state in _ = state.held.insert(route) }
    }

    /// Lets all waiting requests continue.
    func release() {
        let waiting = state.withLock { state in
            defer { (state.held, state.waiting) = ([], []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func wait(on route: String) async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                guard state.held.contains(route) else { return false }
                state.waiting.append(continuation)
                return true
            }
            if !isHeld { continuation.resume() }
        }
    }

    /// Calls a closure once, while a request is in progress.
    func during(_ route: String, _ run: @escaping @Sendable () -> Void) {
        state.withLock { $0.hooks.append((route, run)) }
    }

    func send(_ request: HTTP.Request, to origin: String) async throws(TransportError) -> HTTP.Response {
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
        await wait(on: route)
        switch step {
        case .answer(let response): return response
        case .fail(let code): throw TransportError(code, message: "The test made this request fail.")
        case nil: return answer(to: route)
        }
    }

    private func answer(to route: String) -> HTTP.Response {
        let (schema, notAfter, planned) = state.withLock { ($0.schema, $0.notAfter, $0.answers[route]) }
        if let planned { return planned }
        switch route.replacing(" /self-service", with: " /a/self-service") {
        case "GET /a/self-service/login/api": return .json(200, #"{"id":"flow-login","type":"api"}"#)
        case "GET /a/self-service/registration/api": return .json(200, #"{"id":"flow-signup"}"#)
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
        default: return HTTP.Response(404)
        }
    }

    /// A session as the server encodes it, with members that the client does not know.
    static func session(_ schema: String = "customer", first: String = "User") -> String {
        #"""
        {"id":"a29924fd-14d7-46ee-b329-73854e876405","active":true,"expires_at":"2026-12-21T08:11:20.7Z",
        "authenticated_at":"2026-11-21T08:11:20.715924705Z","authenticator_assurance_level":"aal9",
        "identity":{"id":"9a8cbfb3-87bd-4087-b48d-2569b1b43386","schema_id":"\#(schema)","state":"odd",
        "traits":{"phone":"+439999999999","name":{"first":"\#(first)","last":"Test"},"email":"a@example.org",
        "shoe_size":44},"verifiable_addresses":[{"unheard":"of"}]},"devices":7}
        """#
    }
}

extension HTTP.Response {
    static func json(_ status: Int, _ text: String) -> HTTP.Response {
        HTTP.Response(
            status,
            headers: ["Content-Type": "application/json; charset=utf-8"],
            body: Array(text.utf8)
        )
    }

    /// The error envelope.
    static func refusal(_ status: Int, _ id: String? = nil, reason: String = "Because.") -> HTTP.Response {
        let id = id.map { #""id":"\#($0)","# } ?? ""
        let name = status == 401 ? #""status":"Unauthorized","# : ""
        return .json(
            status,
            #"{"error":{\#(id)"code":\#(status),\#(name)"reason":"\#(reason)","message":"No."}}"#
        )
    }
}

extension HTTP.Request {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns whether the body has a certificate signing request for a key of ``FakeDeviceKeys``.
    func certifies(key number: UInt8, as commonName: String? = nil) -> Bool {
        guard
            let pem = try? JSONCoding.decode(JSONValue.self, from: body)["csr"]?.text,
            let request = Data(
                base64Encoded: pem.split(separator: "\n").dropFirst().dropLast().joined()
            )
        else { return false }
        return request.contains(FakeDeviceKeys.publicPoint(of: number))
            && (commonName.map { request.contains($0.utf8) } ?? true)
    }
}
