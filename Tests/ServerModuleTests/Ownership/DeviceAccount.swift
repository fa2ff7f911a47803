import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeySelfService
@testable import LatchkeyServerKit

/// A complete server with a single account, and the requests that the owner's devices send to it.
struct DeviceAccount: Sendable {
    static let phone = "+439999999999"
    static let mail = "owner@example.org"
    static let password = "correct-Horse-7-battery"

    let server: TestServer
    private let schema: String

    init(
        schema: String = "customer",
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        self.schema = schema
        var settings = TestServer.configuration()
        settings.schemas.standard = schema
        settings.registration.sendsVerification = false
        change(&settings)
        server = try await TestServer(configuration: settings)
    }

    var database: any Database {
        get throws { try #require(server.database) }
    }

    private var secret: String { schema == "customer" ? "000000" : Self.password }

    // MARK: Requests

    func send(
        _ method: HTTP.Method,
        _ path: String,
        query: String? = nil,
        _ body: JSONValue? = nil,
        token: String? = nil,
        proof: String? = nil
    ) async throws -> Answer {
        var request = HTTP.Request(method, path, query: query)
        if let body {
            request.headers["Content-Type"] = "application/json"
            request.body = try JSONCoding.encode(body)
        }
        request.headers["X-Session-Token"] = token
        request.headers[DPoPProof.header] = proof
        return Answer(await server.handler.respond(to: request, from: .inProcess))
    }

    func begin(_ kind: FlowKind, _ query: String? = nil, token: String? = nil) async throws -> String {
        let answer = try await send(.get, "/a/self-service/\(kind.rawValue)/api", query: query, token: token)
        return try #require(answer["id"]?.text)
    }

    func submit(
        _ kind: FlowKind,
        _ flow: String,
        _ body: [String: JSONValue],
        token: String? = nil,
        proof: String? = nil
    ) async throws -> Answer {
        let path = "/a/self-service/\(kind.rawValue)"
        return try await send(.post, path, query: "flow=\(flow)", .object(body), token: token, proof: proof)
    }

    /// Registers the account and returns the session token.
    ///
    /// A customer has a verified phone number, and a person has an e-mail address and a phone number.
    func register(proof: String? = nil) async throws -> String {
        if schema == "customer" {
            let flow = try await SignUpClient(server).beginVerified(Self.phone, on: server)
            let body: [String: JSONValue] = [
                "method": "password", "password": .string(secret),
                "traits": .object(["phone": .string(Self.phone)]),
            ]
            return try token(try await submit(.registration, flow, body, proof: proof))
        }
        let body: [String: JSONValue] = [
            "method": "password", "password": .string(secret),
            "traits": .object(["email": .string(Self.mail), "phone": .string(Self.phone)]),
        ]
        return try token(try await submit(.registration, try await begin(.registration), body, proof: proof))
    }

    /// Logs in with the password.
    ///
    /// If no flow is given, a new one is started.
    func logIn(_ flow: String? = nil, token: String? = nil, proof: String? = nil) async throws -> Answer {
        let name = token == nil ? nil : "refresh=true"
        var flow = flow
        if flow == nil { flow = try await begin(.login, name, token: token) }
        let body: [String: JSONValue] = [
            "method": "password", "identifier": .string(Self.phone), "password": .string(secret),
        ]
        return try await submit(.login, flow ?? "", body, token: token, proof: proof)
    }

    /// Waits until no message is queued.
    ///
    /// Otherwise, deliveries in progress would be abandoned when the clock advances.
    func messagesAreSent() async throws {
        for _ in 0..<20_000 {
            guard try await count("SELECT id FROM messages WHERE status = 'queued'") > 0 else { return }
            await Task.yield()
        }
        Issue.record("Messages are still queued.")
    }

    /// Requests a code and submits it.
    func enter(_ kind: FlowKind, with address: String, token: String? = nil, proof: String? = nil)
        async throws
        -> Answer
    {
        try await messagesAreSent()
        server.time.advance(by: .seconds(31))
        let flow = try await begin(kind)
        let field = kind == .login ? "identifier" : "email"
        _ = try await submit(kind, flow, ["method": "code", field: .string(address)], token: token)
        let code = JSONValue.string(try await server.code(for: address))
        return try await submit(kind, flow, ["method": "code", "code": code], token: token, proof: proof)
    }

    /// Requests a certificate for a key.
    func enrol(_ key: SigningKey, token: String) async throws -> Answer {
        let csr = try CertificateSigningRequest.pem(commonName: "device", key: key)
        return try await send(.put, Route.certificates, .object(["csr": .string(csr)]), token: token)
    }

    /// Sends a request to the token endpoint.
    ///
    /// If the server asks for a nonce, the request is sent again with that nonce.
    func send(_ grant: TokenRequest, key: SigningKey) async throws -> Answer {
        try await grant.httpRequest.answer(at: server.time) { nonce in
            try proof(key, path: Route.token) { $0.nonce = nonce }
        } from: { request in
            Answer(await server.handler.respond(to: request, from: .inProcess))
        }
    }

    /// Returns a proof of possession for a login.
    func proof(
        _ key: SigningKey,
        path: String = "/a" + Route.login,
        _ change: (inout DPoPProof) -> Void = { _ in }
    ) throws -> String {
        var proof = DPoPProof(
            method: .post,
            url: TestServer.url + path,
            id: Identifier().description,
            issuedAt: server.time.now
        )
        change(&proof)
        return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
    }

    // MARK: Results

    func token(_ answer: Answer) throws -> String {
        try #require(answer.sessionToken, "\(answer.body)")
    }

    func isAlive(_ token: String) async throws -> Bool {
        try await send(.get, "/a" + Route.whoami, token: token).status == 200
    }

    func count(_ sql: SQL) async throws -> Int {
        try await database.rows(sql).count
    }

    /// Returns the recipients of all notices about new devices.
    func deviceNotices() async throws -> [String] {
        try await database.rows(
            "SELECT recipient FROM messages WHERE template = 'device_added' ORDER BY recipient"
        )
        .map { try $0.text(0) }
    }

    /// Returns the events in the audit log, oldest first.
    func events() async throws -> [AuditEvent] {
        try await AuditLog.events(limit: 200, in: database).reversed()
    }

    /// Returns the claims in an access token.
    static func claims(_ pair: TokenBody) throws -> JSONValue {
        let jws = try #require(CompactJWS(pair.accessToken.exposed))
        return try JSONCoding.decode(JSONValue.self, from: jws.payload)
    }
}
