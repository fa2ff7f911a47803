import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import Latchkey
@testable import LatchkeyCore

/// An OpenID provider that answers as a test plans it, with a user who logs in at once.
///
/// Without changes, it answers as it should.
final class HostileProvider: Transport, BrowserHandOff, BrowserVisit {
    typealias Answer = @Sendable (HTTP.Request) -> HTTP.Response

    static let issuer = "https://op.example.com"
    static let subject = "user-1"

    /// The parts of the provider that a test can change.
    struct Plan: Sendable {
        /// Members of the metadata, of which `nil` removes one.
        var metadata: [String: JSONValue?] = [:]
        /// Claims of the ID token, of which `nil` removes one.
        var claims: [String: JSONValue?] = [:]
        /// Members of the token response, of which `nil` removes one.
        var tokens: [String: JSONValue?] = [:]
        /// The header of the ID token.
        var header: [String: JSONValue] = ["alg": "ES256", "kid": "1"]
        /// Signs the ID token in place of the provider's key.
        var sign: (@Sendable ([UInt8]) throws -> [UInt8])?
        /// The keys, or `nil` for the provider's own one.
        var keys: [JSONValue]?
        /// Answers in place of the provider, by path.
        var answers: [String: Answer] = [:]
        /// Changes the redirect of the browser.
        var redirect: @Sendable (String) -> String = { $0 }
    }

    private struct State {
        var plan = Plan()
        var requests: [HTTP.Request] = []
        var opened: [String] = []
        var nonce = ""
    }

    let key: SigningKey
    let time: VirtualTime
    let keys = FakeDeviceKeys()
    private let state = Locked(State())

    init(_ plan: Plan = Plan(), time: VirtualTime = VirtualTime(now: Timestamp(seconds: 1_800_000_000))) {
        self.time = time
        do {
            key = try SigningKey.generate()
        } catch {
            fatalError("\(error)")
        }
        state.withLock { $0.plan = plan }
    }

    /// Changes the plan during a test.
    func change(_ change: (inout Plan) -> Void) {
        state.withLock { change(&$0.plan) }
    }

    /// The requests to a path so far.
    func requests(_ path: String) -> [HTTP.Request] {
        state.withLock { $0.requests.filter { $0.path == path } }
    }

    /// The pages that the browser was asked to open.
    var opened: [String] { state.withLock { $0.opened } }

    /// Returns a client of the app, which trusts the provider.
    func client(
        id: String = "shop-app",
        issuer: String = HostileProvider.issuer,
        store: MemoryStore = MemoryStore()
    ) throws -> LatchkeyClient {
        try LatchkeyClient(
            server: TestServer.url,
            app: "com.example.shop",
            apiOrigins: ["https://api.example.com"]
        ) {
            $0.store = store
            $0.client = ClientRegistration(id: id, redirectURIs: [BrowserScene.redirectURI], issuer: issuer)
            $0.deviceKeys = keys
            $0.transport = self
            $0.languages = []
            $0.time = time
        }
    }

    // MARK: The provider

    /// The public key as a member of a key set.
    var jwk: JSONValue {
        var members =
            (try? JSONCoding.decode(JSONValue.self, from: Array(key.publicKey.jwk.utf8)))?.object ?? [:]
        members["kid"] = "1"
        return .object(members)
    }

    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        let plan = state.withLock { state in
            state.requests.append(request)
            return state.plan
        }
        let response = plan.answers[request.path]?(request) ?? answer(request, by: plan)
        guard response.body.count <= limits.bodyLimit ?? 1_048_576 else {
            throw TransportError(.invalidResponse, message: "The body is too large.")
        }
        return response
    }

    private func answer(_ request: HTTP.Request, by plan: Plan) -> HTTP.Response {
        switch request.path {
        case "/.well-known/openid-configuration":
            return Self.json(
                [
                    "issuer": .string(Self.issuer),
                    "authorization_endpoint": .string(Self.issuer + "/authorize"),
                    "token_endpoint": .string(Self.issuer + "/token"),
                    "jwks_uri": .string(Self.issuer + "/jwks"),
                    "revocation_endpoint": .string(Self.issuer + "/revoke"),
                    "code_challenge_methods_supported": ["S256"],
                ],
                plan.metadata
            )
        case "/jwks": return Self.json(["keys": .array(plan.keys ?? [jwk])], [:])
        case "/token":
            return Self.json(
                [
                    "access_token": "access", "token_type": "Bearer", "expires_in": .integer(600),
                    "refresh_token": "refresh", "id_token": .string(idToken(plan)),
                ],
                plan.tokens
            )
        case "/revoke": return HTTP.Response(200)
        default: return HTTP.Response(404)
        }
    }

    private func idToken(_ plan: Plan) -> String {
        let now = time.now.microseconds / 1_000_000
        var claims: [String: JSONValue] = [
            "iss": .string(Self.issuer), "aud": "shop-app", "sub": .string(Self.subject),
            "nonce": .string(state.withLock { $0.nonce }), "exp": .integer(now + 300),
            "iat": .integer(now),
        ]
        for (name, value) in plan.claims { claims[name] = value }
        do {
            let parts = [plan.header, claims].map { (try? JSONCoding.encode(JSONValue.object($0))) ?? [] }
            let input = parts.map { Base64URL.encode($0) }.joined(separator: ".")
            let bytes = Array(input.utf8)
            let signature = try plan.sign?(bytes) ?? key.rawSignature(for: bytes)
            return input + "." + Base64URL.encode(signature)
        } catch {
            Issue.record("\(error)")
            return ""
        }
    }

    static func json(_ members: [String: JSONValue], _ changes: [String: JSONValue?]) -> HTTP.Response {
        var members = members
        for (name, value) in changes { members[name] = value }
        return HTTP.Response(
            200,
            headers: ["Content-Type": "application/json"],
            body: (try? JSONCoding.encode(JSONValue.object(members))) ?? []
        )
    }

    // MARK: The browser

    var redirectURI: String { BrowserScene.redirectURI }

    func prepare() async throws(LatchkeyError) -> any BrowserVisit { self }

    func open(
        _ address: String,
        until isAnswer: @escaping @Sendable (String) -> Bool
    ) async throws(LatchkeyError) -> String? {
        let items = QueryItems(address.split(separator: "?", maxSplits: 1).last.map { String($0) })
        let plan = state.withLock { state in
            state.opened.append(address)
            state.nonce = items["nonce"] ?? ""
            return state.plan
        }
        return plan.redirect(redirectURI + "?code=c&state=" + (items["state"] ?? ""))
    }

    func end() {}
}
