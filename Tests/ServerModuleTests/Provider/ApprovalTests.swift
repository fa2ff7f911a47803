import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

@Suite("Pushed requests, approvals and exchanges", .onEachDatabase)
struct ApprovalTests {
    let server: ProviderServer
    let game: RelyingParty
    let key: SigningKey

    init() async throws {
        try await self.init(dutySources: [])
    }

    init(dutySources: [any DutySource]) async throws {
        server = try await ProviderServer(dutySources: dutySources)
        key = try SigningKey.generate()
        game = try await server.client(
            "game",
            secret: nil,
            redirect: "com.example.game:/callback",
            own: #""first_party": true, "app_to_app": true, "native_session": true"#,
            #""application_type": "native""#
        )
    }

    func proof(_ key: SigningKey, at path: String) throws -> String {
        let proof = DPoPProof(
            method: .post,
            url: ProviderServer.issuer + path,
            id: Identifier().description,
            issuedAt: server.time.now
        )
        return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
    }

    /// Pushes the request of the game, with a proof of its key.
    func push(_ changes: [String: String?] = [:]) async throws -> Answer {
        await game.send(
            game.parameters.merging(changes) { $1 },
            to: Route.pushedRequests,
            proof: try proof(key, at: Route.pushedRequests)
        )
    }

    func requestURI(_ changes: [String: String?] = [:]) async throws -> String {
        let pushed = try await push(changes)
        #expect(pushed.status == 201, "\(pushed.body)")
        return try #require(pushed["request_uri"]?.text)
    }

    func store(_ number: Int = 1) async throws -> String {
        try await server.people.registered(number)
    }

    func open(
        _ uri: String,
        token: String,
        client: String = "game",
        at node: ProviderServer? = nil
    ) async throws -> Answer {
        try await (node ?? server).people.approval(
            "",
            body: ["client_id": .string(client), "request_uri": .string(uri)],
            token: token
        )
    }

    func answer(
        _ opened: Answer,
        _ decision: String,
        token: String,
        account: String? = nil,
        at node: ProviderServer? = nil
    ) async throws -> Answer {
        try await (node ?? server).people.approval(
            "/" + (opened["id"]?.text ?? Identifier().description),
            body: [
                "decision": .string(decision),
                "account": .string(account ?? opened["account"]?.text ?? ""),
            ],
            token: token
        )
    }

    // MARK: Pushed requests

    @Test func `A browser opens a pushed request once`() async throws {
        let uri = try await requestURI()
        let visitor = PageVisitor(server.people)
        _ = try await server.signedUp()
        try await visitor.open(Route.authorization + "?client_id=game&request_uri=" + QueryItems.encode(uri))
        #expect(visitor.path == "/login")
        let again = PageVisitor(server.people)
        try await again.open(Route.authorization + "?client_id=game&request_uri=" + QueryItems.encode(uri))
        #expect(again.response.status == 400)
        try await visitor.submit([
            "identifier": "person1@example.org", "password": SelfServiceServer.password, "method": "password",
        ])
        if visitor.isQuestion { try await visitor.submit(["decision": "approve"]) }
        let code = try game.code(of: visitor)
        // The code is bound to the key that has signed the pushed request.
        #expect(await game.redeem(code).oauthError == "invalid_grant")
        #expect(await game.redeem(code, proof: try proof(key, at: Route.token)).status == 200)
    }

    @Test func `A pushed request belongs to no browser before one has opened it`() async throws {
        _ = try await requestURI()
        let rows = try await server.database.rows("SELECT id FROM authorization_requests")
        let query = "?login_challenge=\(try rows[0].identifier(0))"
        let visitor = try await server.signedUp()
        try await visitor.open(Route.authorizationContinuation + query)
        #expect(visitor.response.status == 403)
        #expect(visitor.location == nil)
        try await visitor.open("/consent" + query)
        #expect(visitor.response.status == 403)
    }

    @Test func `A pushed request is checked as any other`() async throws {
        #expect(try await push(["redirect_uri": "https://evil.example"]).oauthError == "invalid_request")
        #expect(try await push(["code_challenge": nil]).oauthError == "invalid_request")
        #expect(try await push(["request_uri": "urn:x"]).oauthError == "invalid_request")
        #expect(try await push(["client_id": "unknown"]).status == 401)
        let thumbprint = Base64URL.encode(try SigningKey.generate().publicKey.jwkThumbprint)
        #expect(try await push(["dpop_jkt": thumbprint]).oauthError == "invalid_dpop_proof")
        #expect(try await server.count("authorization_requests") == 0)
    }

    // MARK: Approvals

    @Test func `A user approves the request of another app with a session`() async throws {
        let token = try await store()
        let opened = try await open(try await requestURI(), token: token)
        #expect(opened.status == 201, "\(opened.body)")
        #expect(opened["client"]?["client_name"] == "The Shop")
        #expect(opened["redirect"]?["kind"] == "private_use")
        #expect(opened["redirect"]?["scheme"] == "com.example.game")
        #expect(opened["account"]?.text?.contains("…") == true)
        let approved = try await answer(opened, "approve", token: token)
        #expect(approved.status == 200, "\(approved.body)")
        let address = try #require(approved["redirect_to"]?.text)
        #expect(address.hasPrefix("com.example.game:/callback?code="))
        #expect(address.contains("state=the%20state"))
        #expect(address.hasSuffix("&iss=https%3A%2F%2Fid.example.com"))
        let again = try await answer(opened, "approve", token: token)
        #expect(again.status == 410)
        #expect(try await answer(opened, "refuse", token: token).status == 410)
        let code = try #require(QueryItems(String(address.split(separator: "?")[1]))["code"])
        #expect(await game.redeem(code, proof: try proof(key, at: Route.token)).status == 200)
    }

    @Test func `A user refuses`() async throws {
        let token = try await store()
        let opened = try await open(try await requestURI(), token: token)
        let refused = try await answer(opened, "refuse", token: token)
        let address = refused["redirect_to"]?.text ?? ""
        #expect(address.contains("error=access_denied"))
        #expect(address.hasSuffix("&state=the%20state&iss=https%3A%2F%2Fid.example.com"))
        #expect(try await server.count("grants") == 0)
    }

    @Test func `Only the session that has opened a request answers it, for the account that it shows`()
        async throws
    {
        let (token, other) = (try await store(), try await store(2))
        let uri = try await requestURI()
        let opened = try await open(uri, token: token)
        #expect(try await open(uri, token: other).status == 404)
        #expect(try await answer(opened, "approve", token: other).status == 404)
        #expect(try await answer(opened, "approve", token: token, account: "x…@example.org").status == 409)
        #expect(try await answer(opened, "maybe", token: token).status == 400)
        let cookie = try await server.signedUp(3)
        let secret = try #require(cookie.browser.cookies[TestBrowser.sessionCookie])
        #expect(try await open(try await requestURI(), token: secret).status == 401)
        #expect(try await open(try await requestURI(), token: "wrong").status == 401)
        // Opening the request again gives no more time.
        server.time.advance(by: .seconds(200))
        #expect(try await open(uri, token: token)["id"] == opened["id"])
        server.time.advance(by: .seconds(100))
        #expect(try await answer(opened, "approve", token: token).status == 410)
    }

    @Test func `A request that asks for a new login needs one`() async throws {
        let token = try await store()
        server.time.advance(by: .seconds(60))
        let pushed = try await push(["prompt": "login"])
        let uri = try #require(pushed["request_uri"]?.text)
        let opened = try await open(uri, token: token)
        #expect(opened.status == 403)
        #expect(opened.errorID == .sessionRefreshRequired)
        // The request isn't used up, and a new login is enough.
        let fresh = try await server.people.loggedIn(1)
        let again = try await open(uri, token: fresh)
        #expect(again.status == 201, "\(again.body)")
        // A lost answer is repeated.
        #expect(try await open(uri, token: fresh)["id"] == again["id"])
        #expect(try await answer(again, "approve", token: fresh).status == 200)
    }

    @Test func `Only clients that are registered for it can be approved by another app`() async throws {
        let shop = try await server.client()
        let pushed = await shop.send(
            game.parameters.merging(["client_id": "shop", "redirect_uri": ProviderServer.callback]) { $1 },
            to: Route.pushedRequests
        )
        let uri = try #require(pushed["request_uri"]?.text)
        let token = try await store()
        #expect(try await open(uri, token: token, client: "shop").status == 404)
        #expect(try await open(uri, token: token, client: "game").status == 404)
    }

    @Test func `A client withdraws its request with its key`() async throws {
        let token = try await store()
        let uri = try await requestURI()
        let opened = try await open(uri, token: token)
        let other = try SigningKey.generate()
        _ = await game.send(
            ["token": uri],
            to: Route.revocation,
            proof: try proof(other, at: Route.revocation)
        )
        _ = await game.send(["token": uri], to: Route.revocation)
        #expect(try await server.count("authorization_requests", where: "answered_at IS NULL") == 1)
        _ = await game.send(["token": uri], to: Route.revocation, proof: try proof(key, at: Route.revocation))
        #expect(try await answer(opened, "approve", token: token).status == 410)
    }

    // MARK: Exchange

    func tokens(for key: SigningKey?) async throws -> Answer {
        let visitor = try await server.signedUp()
        let code = try await game.authorize(visitor)
        return await game.redeem(code, proof: try key.map { try proof($0, at: Route.token) })
    }

    func exchange(
        _ accessToken: String,
        by client: RelyingParty? = nil,
        key: SigningKey?,
        type: String = TokenType.session.rawValue
    ) async throws -> Answer {
        await (client ?? game).send(
            [
                "grant_type": TokenRequest.Grant.tokenExchange.rawValue, "subject_token": accessToken,
                "subject_token_type": TokenType.accessToken.rawValue, "requested_token_type": type,
            ],
            proof: try key.map { try proof($0, at: Route.token) }
        )
    }

    @Test func `A first-party app exchanges its grant for one session, which isn't privileged`() async throws
    {
        let tokens = try await tokens(for: key)
        let first = try await exchange(tokens.accessToken, key: key)
        #expect(first.status == 200, "\(first.body)")
        #expect(first["issued_token_type"] == .string(TokenType.session.rawValue))
        // A lost answer is repeated, and the first token is replaced.
        let second = try await exchange(tokens.accessToken, key: key)
        #expect(second.status == 200)
        #expect(await server.people.get("/sessions/whoami", token: first.accessToken).status == 401)
        let session = await server.people.get("/sessions/whoami", token: second.accessToken)
        #expect(session.status == 200, "\(session.body)")
        #expect(try await server.count("sessions", where: "client_id = 'game'") == 1)
        #expect(await server.people.get("/account/export", token: second.accessToken).status == 403)
        // After its first use, the exchange can't be repeated.
        #expect(try await exchange(tokens.accessToken, key: key).oauthError == "invalid_grant")
        #expect(await server.people.get("/sessions/whoami", token: second.accessToken).status == 200)
        #expect(await game.userInfo(tokens.accessToken).status == 401)
    }

    @Test func `An exchange needs the client, the key, a proof and a bound grant`() async throws {
        let shop = try await server.client()
        let bound = try await tokens(for: key).accessToken
        let other = try SigningKey.generate()
        #expect(try await exchange(bound, by: shop, key: key).oauthError == "unauthorized_client")
        #expect(try await exchange(bound, key: other).oauthError == "invalid_dpop_proof")
        #expect(try await exchange(bound, key: nil).oauthError == "invalid_dpop_proof")
        let wrong = TokenType.accessToken.rawValue
        #expect(try await exchange(bound, key: key, type: wrong).oauthError == "invalid_request")
        let visitor = PageVisitor(server.people)
        try await visitor.logIn()
        let bearer = await game.redeem(try await game.authorize(visitor))
        #expect(try await exchange(bearer.accessToken, key: key).oauthError == "invalid_grant")
        #expect(try await server.count("sessions", where: "client_id = 'game'") == 0)
    }
}

extension SelfServiceServer {
    /// Registers a person with a native app, and returns the session token.
    func registered(_ number: Int) async throws -> String {
        let flow = await get("/self-service/registration/api")
        let answer = try await post(
            "/self-service/registration?flow=" + (flow.flowID ?? ""),
            [
                "method": "password", "password": .string(Self.password),
                "traits": [
                    "email": .string("person\(number)@example.org"),
                    "phone": .string("+4670" + String(1_000_000 + number)),
                ],
            ]
        )
        return try #require(answer.sessionToken, "\(answer.body)")
    }

    /// Logs a person in with a native app, and returns the session token.
    func loggedIn(_ number: Int) async throws -> String {
        let flow = await get("/self-service/login/api")
        let answer = try await post(
            "/self-service/login?flow=" + (flow.flowID ?? ""),
            [
                "method": "password", "password": .string(Self.password),
                "identifier": .string("person\(number)@example.org"),
            ]
        )
        return try #require(answer.sessionToken, "\(answer.body)")
    }

    func approval(
        _ path: String,
        method: HTTP.Method = .post,
        body: JSONValue? = nil,
        token: String
    ) async throws -> Answer {
        var request = HTTP.Request(
            method,
            Route.approvals + path,
            headers: ["Content-Type": "application/json", "Authorization": "Bearer " + token]
        )
        if let body { request.body = try JSONCoding.encode(body) }
        return await send(request)
    }
}
