import LatchkeyCore
import LatchkeyCrypto
import LatchkeyCurl
import LatchkeyModel
import LatchkeyWire
import TestProcesses

/// A client for every flow and for the admin API that uses real sockets.
///
/// If there is no response, or if its status is 5xx, the methods return `nil` because the outcome of the
/// request is unknown.
struct FlowClient: Sendable {
    /// A response from the server.
    struct Answer: Sendable {
        let status: Int
        let body: JSONValue
        let headers: HTTP.Headers

        subscript(name: String) -> JSONValue? { body[name] }
    }

    private let transport: any Transport
    private let url: String
    private let adminURL: String
    private let adminToken: String
    private let tries: Int

    /// Creates a client for a server process.
    ///
    /// - Parameters:
    ///   - server: The server to connect to.
    ///   - tries: The number of attempts per request. More than one attempt is only allowed for idempotent
    ///     requests.
    /// - Throws: An error if libcurl cannot be started.
    init(_ server: ServerProcess, tries: Int = 1) throws {
        try self.init(server.url, admin: server.adminURL, adminToken: server.adminToken, tries: tries)
    }

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - url: The URL of the public listener.
    ///   - admin: The URL of the admin listener.
    ///   - adminToken: The admin token.
    ///   - tries: The number of attempts per request.
    /// - Throws: An error if libcurl cannot be started.
    init(_ url: String, admin: String = "", adminToken: String = "", tries: Int = 1) throws {
        transport = try CurlTransport()
        self.url = url
        adminURL = admin
        self.adminToken = adminToken
        self.tries = tries
    }

    /// Starts a flow, or returns `nil` if there is no response.
    func begin(_ kind: String, token: String? = nil) async -> String? {
        await send(.get, "/a/self-service/\(kind)/api", token: token)?["id"]?.text
    }

    /// Submits a form to a flow.
    func submit(_ kind: String, _ flow: String, _ body: JSONValue, token: String? = nil) async -> Answer? {
        await send(.post, "/a/self-service/\(kind)", query: "flow=\(flow)", body, token: token)
    }

    /// Requests a code for a phone number as part of a registration.
    func startPhoneVerification(_ phone: String, in flow: String) async -> Answer? {
        let body: [String: JSONValue] = [
            "phoneNumber": .string(phone), "phoneType": .string("PRIMARY"), "flowId": .string(flow),
            "flowType": .string("REGISTRATION"),
        ]
        return await send(.post, Route.phoneVerification, .object(body))
    }

    /// Fetches the session and its owner.
    func whoami(_ token: String) async -> Answer? {
        await send(.get, "/a/sessions/whoami", token: token)
    }

    /// Logs out a session.
    func logOut(_ token: String) async -> Answer? {
        await send(.delete, "/a/self-service/logout/api", .object(["session_token": .string(token)]))
    }

    /// Sends a request to the purchase API.
    ///
    /// Orders have an idempotency key.
    func commerce(
        _ method: HTTP.Method,
        _ path: String,
        query: String? = nil,
        _ body: JSONValue? = nil,
        token: String,
        key: String? = nil
    ) async -> Answer? {
        var request = request(method, "/a" + path, query, body)
        request.headers["X-Session-Token"] = token
        if let key { request.headers[OrderBody.idempotencyField] = key }
        return await send(request, to: url)
    }

    /// Requests a certificate for a key.
    func enrol(_ key: SigningKey, token: String) async -> Answer? {
        guard let csr = try? CertificateSigningRequest.pem(commonName: "device", key: key) else { return nil }
        return await send(.put, Route.certificates, .object(["csr": .string(csr)]), token: token)
    }

    /// Requests a token pair.
    ///
    /// If the server demands a nonce, the request is repeated with that nonce.
    func tokens(_ request: TokenRequest, _ key: SigningKey) async -> Answer? {
        var nonce: String?
        for _ in 0..<3 {
            let proof = DPoPProof(
                method: .post,
                url: url + Route.token,
                id: Identifier(random: SystemRandom()).description,
                issuedAt: SystemTime().now,
                nonce: nonce
            )
            var request = request.httpRequest
            guard
                let signed = try? proof.signed(jwk: key.publicKey.jwk, by: { try key.rawSignature(for: $0) })
            else { return nil }
            request.headers[DPoPProof.header] = signed
            guard let answer = await send(request, to: url) else { return nil }
            guard answer["error"]?.text == "use_dpop_nonce" else { return answer }
            nonce = answer.headers[DPoPProof.nonceHeader]
        }
        return nil
    }

    /// Sends a request to the admin listener.
    func administer(_ method: HTTP.Method, _ path: String, query: String? = nil, _ body: JSONValue? = nil)
        async
        -> Answer?
    {
        await administer(request(method, "/admin/identities" + path, query, body))
    }

    /// Returns the list of messages that the operator sees.
    func messages(status: String) async -> Answer? {
        await administer(HTTP.Request(.get, "/admin/courier/messages", query: "status=\(status)"))
    }

    private func administer(_ request: HTTP.Request) async -> Answer? {
        var request = request
        request.headers["Authorization"] = "Bearer " + adminToken
        return await send(request, to: adminURL)
    }

    /// Delivers a message to a sink in the same way as the server's courier.
    func deliver(_ message: [String: String], key: String) async -> Bool {
        var request = request(.post, "/", nil, .object(message.mapValues { .string($0) }))
        request.headers["Idempotency-Key"] = key
        return await send(request, to: url)?.status == 200
    }

    /// Returns whether the server is ready.
    func isReady() async -> Bool {
        await send(HTTP.Request(.get, Route.ready), to: adminURL)?.status == 200
    }

    private func send(
        _ method: HTTP.Method,
        _ path: String,
        query: String? = nil,
        _ body: JSONValue? = nil,
        token: String? = nil
    ) async -> Answer? {
        var request = request(method, path, query, body)
        if let token { request.headers["X-Session-Token"] = token }
        return await send(request, to: url)
    }

    private func request(_ method: HTTP.Method, _ path: String, _ query: String?, _ body: JSONValue?)
        -> HTTP.Request
    {
        var request = HTTP.Request(method, path, query: query)
        if let body, let bytes = try? JSONCoding.encode(body) {
            request.headers["Content-Type"] = "application/json"
            request.body = bytes
        }
        return request
    }

    private func send(_ request: HTTP.Request, to origin: String) async -> Answer? {
        for _ in 0..<tries {
            guard let response = try? await transport.send(request, to: origin), response.status < 500 else {
                continue
            }
            let body = try? JSONCoding.decode(JSONValue.self, from: response.body)
            return Answer(status: response.status, body: body ?? .null, headers: response.headers)
        }
        return nil
    }
}
