import LatchkeyAccounts
import LatchkeyAdmin
import LatchkeyCommerce
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyServer
@testable import LatchkeyServerKit

/// A server with both listeners, and an account with every kind of credential.
struct CredentialWorld: Sendable {
    static let adminToken = Secret("an-admin-token-of-a-table")
    private static let password = "correct-Horse-7-battery"

    let server: TestServer
    let admin: any HTTPHandler
    /// The OpenAPI documents of the public listener and of the admin listener, with the listeners' routes.
    let documents: [(endpoints: [Endpoint], json: JSONValue, isAdministrative: Bool)]
    private let secrets: ServerSecrets

    /// Starts a server whose access tokens have the given audience, or the server itself if it is `nil`.
    init(audience: String? = nil, dutySources: [any DutySource] = []) async throws {
        var settings = TestServer.configuration()
        settings.schemas.standard = "person"
        settings.registration.sendsVerification = false
        settings.tokens.audience = audience
        settings.limits.registrationsPerAddress = []
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        settings.commerce.catalog = "/\(folder)/TestStore/catalog.json5"
        settings.commerce.defaultRegion = "AT"
        let random = SeededRandom(seed: 11)
        // The server derives its keys from the first random bytes.
        secrets = ServerSecrets(signing: SeededRandom(seed: 11).bytes(32))
        server = try await TestServer(configuration: settings, random: random, dutySources: dutySources)
        let assembly = try #require(server.assembly)
        let operators = assembly.operatorListener(
            url: "http://localhost",
            tokens: try AdminTokens(configured: Self.adminToken),
            delay: .zero,
            development: nil,
            measuring: []
        )
        admin = operators.handler
        documents = try [(assembly.document, false), (operators.document, true)].map {
            document,
            isAdministrative in
            (
                document.endpoints,
                try JSONCoding.decode(JSONValue.self, from: document.document.json),
                isAdministrative
            )
        }
    }

    // MARK: Requests

    func send(_ request: HTTP.Request, isAdministrative: Bool = false) async -> HTTP.Response {
        await (isAdministrative ? admin : server.handler).respond(to: request, from: .inProcess)
    }

    private func post(_ path: String, query: String? = nil, _ body: JSONValue, token: String? = nil)
        async throws -> JSONValue
    {
        var request = HTTP.Request(.post, path, query: query)
        request.headers["Content-Type"] = "application/json"
        request.headers["X-Session-Token"] = token
        request.body = try JSONCoding.encode(body)
        return try JSONCoding.decode(JSONValue.self, from: await send(request).body)
    }

    private func get(_ path: String, query: String? = nil, token: String? = nil) async throws -> JSONValue {
        var request = HTTP.Request(.get, path, query: query)
        request.headers["X-Session-Token"] = token
        return try JSONCoding.decode(JSONValue.self, from: await send(request).body)
    }

    // MARK: Accounts

    /// An account and the tokens that a device of it has.
    struct Account: Sendable {
        let key: SigningKey
        /// The token of a session with a recent login.
        let token: String
        /// The id of a settings flow.
        let settingsFlow: String
        /// The value of the `Authorization` header field, without a proof.
        let authorization: String?
        /// The access token that needs a proof in each request.
        let boundToken: Secret?
        /// The value of the `Cookie` header field.
        var cookies: String?
        /// The value of the `X-Session-Token` header field.
        var header: String?
    }

    /// Registers an account and returns it with a credential.
    func account(_ number: Int, with credential: PresentedCredential) async throws -> Account {
        let mail = "person\(number)@example.org"
        let flow = try #require(try await get("/a/self-service/registration/api")["id"]?.text)
        let traits = JSONValue.object([
            "email": .string(mail), "phone": .string("+46702" + String(100_000 + number)),
        ])
        let registered = try await post(
            "/a/self-service/registration",
            query: "flow=\(flow)",
            .object(["method": "password", "password": .string(Self.password), "traits": traits])
        )
        let token = try #require(registered["session_token"]?.text, "\(registered)")
        let settings = try #require(try await get("/a/self-service/settings/api", token: token)["id"]?.text)
        let key = try SigningKey.generate()
        if let account = try await browser(credential, of: mail, key: key, token: token, flow: settings) {
            return account
        }
        let (authorization, bound) = try await self.credential(credential, of: token, mail: mail, key: key)
        return Account(
            key: key,
            token: token,
            settingsFlow: settings,
            authorization: authorization,
            boundToken: bound
        )
    }

    /// Returns the account with the credential of a browser, or `nil` if the credential is another one.
    private func browser(
        _ credential: PresentedCredential,
        of mail: String,
        key: SigningKey,
        token: String,
        flow: String
    ) async throws -> Account? {
        let names = BrowserCookies(url: TestServer.url)
        var account = Account(key: key, token: token, settingsFlow: flow, authorization: nil, boundToken: nil)
        switch credential {
        case .tokenAsCookie:
            account.cookies = names.session + "=" + token
            return account
        case .cookie, .cookieAsToken: break
        default: return nil
        }
        var jar: [String: String] = [:]
        func send(_ request: HTTP.Request) async throws -> JSONValue {
            var request = request
            request.headers["Accept"] = "application/json"
            request.headers["Cookie"] = jar.map { $0.key + "=" + $0.value }.joined(separator: "; ")
            let answer = await self.send(request)
            for field in answer.headers.all("Set-Cookie") {
                let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                jar[String(pair[0])] = String(pair[1])
            }
            return try JSONCoding.decode(JSONValue.self, from: answer.body)
        }
        let login = try await send(HTTP.Request(.get, "/a/self-service/login/browser"))
        let secret = try #require(jar[names.csrf].flatMap { CSRFSecret($0) })
        var submission = HTTP.Request(
            .post,
            "/a/self-service/login",
            query: "flow=" + (login["id"]?.text ?? "")
        )
        submission.headers["Content-Type"] = "application/json"
        submission.body = try JSONCoding.encode(
            JSONValue.object([
                "method": "password", "identifier": .string(mail), "password": .string(Self.password),
                "csrf_token": .string(secret.token(random: SystemRandom())),
            ])
        )
        _ = try await send(submission)
        let settings = try await send(HTTP.Request(.get, "/a/self-service/settings/browser"))
        let cookies = jar.map { $0.key + "=" + $0.value }.joined(separator: "; ")
        if credential == .cookieAsToken {
            account.header = jar[names.session]
            return account
        }
        account = Account(
            key: key,
            token: token,
            settingsFlow: try #require(settings["id"]?.text, "\(settings)"),
            authorization: nil,
            boundToken: nil
        )
        account.cookies = cookies
        return account
    }

    /// Returns the value of the `Authorization` header field, or the bound token that needs a proof.
    private func credential(
        _ credential: PresentedCredential,
        of token: String,
        mail: String,
        key: SigningKey
    ) async throws -> (String?, Secret?) {
        switch credential {
        case .none, .cookie, .cookieAsToken, .tokenAsCookie: return (nil, nil)
        case .adminToken: return ("Bearer \(Self.adminToken.exposed)", nil)
        case .reauthenticated: return ("Bearer \(token)", nil)
        case .session:
            return (
                "Bearer "
                    + (try await login(mail, change: "authenticated_at = authenticated_at - 7200000000")), nil
            )
        case .provisional: return ("Bearer " + (try await login(mail, change: "needs_certificate = 1")), nil)
        case .expired: return ("Bearer " + (try await login(mail, change: "expires_at = issued_at")), nil)
        case .history:
            let answer = try await get("/a/commerce/history", query: "app=com.example", token: token)
            return ("Bearer " + (try #require(answer["history"]?.text, "\(answer)")), nil)
        case .accessToken, .otherAudience:
            return ("Bearer " + (try await exchange(token, key, as: .bearer).accessToken.exposed), nil)
        case .refreshToken:
            return ("Bearer " + (try await exchange(token, key, as: .bearer).refreshToken.exposed), nil)
        case .withoutScope:
            let pair = try await exchange(token, key, as: .bearer)
            return ("Bearer " + (try await withoutScope(pair.accessToken).exposed), nil)
        case .bound: return (nil, try await exchange(token, key, as: .dpop).accessToken)
        case .withoutProof:
            return ("DPoP " + (try await exchange(token, key, as: .dpop).accessToken.exposed), nil)
        }
    }

    /// Logs in again, and changes the new session's row.
    private func login(_ mail: String, change: SQL) async throws -> String {
        let flow = try #require(try await get("/a/self-service/login/api")["id"]?.text)
        let answer = try await post(
            "/a/self-service/login",
            query: "flow=\(flow)",
            .object([
                "method": "password", "identifier": .string(mail), "password": .string(Self.password),
            ])
        )
        let id = try #require(answer["session"]?["id"]?.text.flatMap { Identifier($0) }, "\(answer)")
        let statement: SQL = "UPDATE sessions SET \(change) WHERE id = $1"
        try await #require(server.database).transaction { transaction in
            _ = try transaction.execute(statement, .identifier(id))
        }
        return try #require(answer["session_token"]?.text)
    }

    /// Enrols a key for a session, and exchanges the session token for a token pair.
    private func exchange(_ token: String, _ key: SigningKey, as type: AccessTokenType) async throws
        -> TokenBody
    {
        let csr = try CertificateSigningRequest.pem(commonName: "device", key: key)
        var enrolment = HTTP.Request(.put, Route.certificates)
        enrolment.headers["Content-Type"] = "application/json"
        enrolment.headers["X-Session-Token"] = token
        enrolment.body = try JSONCoding.encode(JSONValue.object(["csr": .string(csr)]))
        try #require(await send(enrolment).status == 200)
        var request = TokenRequest.exchange(sessionToken: Secret(token)).httpRequest(for: type)
        request.headers[DPoPProof.header] = try proof(.post, Route.token, key: key)
        let answer = await send(request)
        try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        return try JSONCoding.decode(TokenBody.self, from: answer.body)
    }

    /// Returns an access token with the same claims except for the scopes, signed by the server's own key.
    private func withoutScope(_ token: Secret) async throws -> Secret {
        let jws = try #require(CompactJWS(token.exposed))
        guard case .object(var claims) = try JSONCoding.decode(JSONValue.self, from: jws.payload) else {
            throw CancellationError()
        }
        try #require(claims.removeValue(forKey: "scope") != nil)
        let keys = SigningKeyRing(
            database: try #require(server.database),
            secrets: secrets,
            random: SystemRandom(),
            settings: server.configuration.tokens
        )
        return try await keys.sign(
            JSONCoding.encode(JSONValue.object(claims)),
            type: "at+jwt",
            at: server.time.now
        )
    }

    /// Returns a proof of possession for a request.
    func proof(_ method: HTTP.Method, _ path: String, key: SigningKey, token: Secret? = nil) throws -> String
    {
        let proof = DPoPProof(
            method: method,
            url: TestServer.url + path,
            id: Identifier().description,
            issuedAt: server.time.now,
            accessTokenHash: token.map { SHA256.hash(Array($0.exposed.utf8)) }
        )
        return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
    }
}
