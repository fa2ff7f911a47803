import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth
@testable import LatchkeySelfService

/// Native flows that carry an authorization request, which the response of the completed flow answers.
@Suite("Authorization requests of native flows", .onEachDatabase)
struct AppFlowTests {
    private static let mail = "person1@example.org"
    private static let own = #""first_party": true, "app_to_app": true, "schemas": ["person"]"#
    private static let native = #""application_type": "native", "skip_consent": true"#
    private static let redirect = "com.example.game:/callback"

    private let server: ProviderServer
    private let game: RelyingParty
    private let key: SigningKey

    init() async throws {
        server = try await ProviderServer()
        key = try SigningKey.generate()
        game = try await Self.client("game", at: server)
    }

    private static func client(
        _ id: String,
        at server: ProviderServer,
        own: String = own,
        members: String = native
    ) async throws -> RelyingParty {
        try await server.client(id, secret: nil, redirect: redirect, own: own, members)
    }

    private var people: SelfServiceServer { server.people }

    // MARK: Helpers

    private func proof(at path: String) throws -> String {
        let proof = DPoPProof(
            method: .post,
            url: ProviderServer.issuer + path,
            id: Identifier().description,
            issuedAt: server.time.now
        )
        return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
    }

    /// Pushes a request, and returns its URI.
    private func push(
        _ client: RelyingParty? = nil,
        _ changes: [String: String?] = [:],
        isBound: Bool = false
    ) async throws -> String {
        let client = client ?? game
        let items = QueryItems(String(client.address().dropFirst(Route.authorization.count + 1))).texts
        let parameters: [String: String?] = Dictionary(
            stride(from: 0, to: items.count, by: 2).map { (items[$0], items[$0 + 1]) },
            uniquingKeysWith: { $1 }
        )
        let pushed = await client.send(
            parameters.merging(changes) { $1 },
            to: Route.pushedRequests,
            proof: isBound ? try proof(at: Route.pushedRequests) : nil
        )
        return try #require(pushed["request_uri"]?.text, "\(pushed.body)")
    }

    private static func query(_ uri: String, client: String = "game", _ more: String = "") -> String {
        "?client_id=\(client)&request_uri=" + QueryItems.encode(uri) + more
    }

    private func begin(_ kind: FlowKind, _ query: String, token: String? = nil) async -> Answer {
        await people.get("/self-service/\(kind.rawValue)/api" + query, token: token)
    }

    private func password(_ flow: Answer, _ number: Int = 1, token: String? = nil) async throws -> Answer {
        try await people.submit(
            .login,
            flow.flowID ?? "none",
            .object([
                "method": "password", "identifier": .string("person\(number)@example.org"),
                "password": .string(SelfServiceServer.password),
            ]),
            token: token
        )
    }

    private func signUp(_ flow: Answer, _ number: Int = 1) async throws -> Answer {
        try await people.submit(
            .registration,
            flow.flowID ?? "none",
            .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": SelfServiceServer.traits(number),
            ])
        )
    }

    /// The parameters of the redirect URI in the response of a completed flow.
    private func parameters(of answer: Answer) -> [String: String]? {
        let addresses = answer.steps.compactMap { $0["redirect_browser_to"]?.text }
        guard let address = addresses.first, addresses.count == 1, address.hasPrefix(Self.redirect) else {
            return nil
        }
        let texts = QueryItems(String(address.dropFirst(Self.redirect.count + 1))).texts
        return Dictionary(
            stride(from: 0, to: texts.count, by: 2).map { (texts[$0], texts[$0 + 1]) },
            uniquingKeysWith: { $1 }
        )
    }

    private func code(of answer: Answer) throws -> String {
        let parameters = try #require(self.parameters(of: answer), "\(answer.body)")
        #expect(parameters["state"] == "the state")
        #expect(parameters["iss"] == ProviderServer.issuer)
        return try #require(parameters["code"], "\(parameters)")
    }

    // MARK: Answers

    @Test func `A login answers with the session and with a code for the verifier and the pushed key`()
        async throws
    {
        try await people.register()
        let flow = await begin(.login, Self.query(try await push(isBound: true)))
        #expect(flow["oauth2_login_request"]?["client"]?["client_id"] == "game")
        let done = try await password(flow)
        #expect(done.status == 200)
        let token = try #require(done.sessionToken)
        #expect(await people.isAlive(token))
        let code = try code(of: done)
        #expect(await game.redeem(code).oauthError == "invalid_grant")
        let other = ["code_verifier": String(repeating: "v", count: 43)]
        #expect(
            await game.redeem(code, with: other, proof: try proof(at: Route.token)).oauthError
                == "invalid_grant"
        )
        let tokens = await game.redeem(code, proof: try proof(at: Route.token))
        #expect(tokens.status == 200, "\(tokens.body)")
        #expect(tokens["token_type"] == "DPoP")
        #expect(tokens.idClaims["nonce"] == "the nonce")
        #expect(tokens.idClaims["sub"] == done["session"]?["identity"]?["id"])
        #expect(await people.get("/sessions/whoami", token: token)["client_id"] == "game")
    }

    @Test func `A flow without a request answers as before`() async throws {
        try await people.register()
        let done = try await password(await begin(.login, "?client_id=game"))
        #expect(done["continue_with"] == .null)
    }

    @Test func `A sign-up answers with a code, and its verification leads to no page of a browser`()
        async throws
    {
        let server = try await ProviderServer { $0.registration.sendsVerification = true }
        let game = try await Self.client("game", at: server)
        let test = AppFlowTests(server, game: game, key: key)
        let flow = await test.begin(.registration, Self.query(try await test.push(game)))
        let done = try await test.signUp(flow)
        #expect(done.sessionToken != nil)
        #expect(done.actions.first == "redirect_browser_to")
        #expect(done.actions.contains("show_verification_ui"))
        let tokens = await game.redeem(try test.code(of: done))
        #expect(tokens.status == 200, "\(tokens.body)")
        let step = try #require(done.steps.first { $0["flow"]?["verifiable_address"]?.text == Self.mail })
        let verification = try #require(step["flow"]?["id"]?.text)
        let code = try await server.people.code(for: Self.mail)
        let verified = try await server.people.submitCode(
            .verification,
            verification,
            ["code": .string(code)]
        )
        #expect(verified["state"] == "passed_challenge")
        #expect(test.parameters(of: verified) == nil)
        #expect(!verified.text.contains(Route.authorizationContinuation))
    }

    @Test func `A recovery answers when the new password is saved, which would end an earlier grant`()
        async throws
    {
        try await people.register()
        let flow = try #require(await begin(.recovery, Self.query(try await push())).flowID)
        _ = try await people.submitCode(.recovery, flow, ["email": .string(Self.mail)])
        let code = JSONValue.string(try await people.code(for: Self.mail))
        let recovered = try await people.submitCode(.recovery, flow, ["code": code])
        #expect(parameters(of: recovered) == nil)
        let token = recovered.steps.first { $0["ory_session_token"] != nil }?["ory_session_token"]?.text
        let settings = try #require(recovered.steps.first { $0["flow"] != nil }?["flow"]?["id"]?.text)
        let body = JSONValue.object(["method": "password", "password": "another-Horse-8-battery"])
        let saved = try await people.submit(.settings, settings, body, token: token)
        #expect(saved.status == 200)
        #expect(await game.redeem(try self.code(of: saved)).status == 200)
        // The request was answered.
        let again = JSONValue.object(["method": "password", "password": "a-third-Horse-9-battery"])
        #expect(parameters(of: try await people.submit(.settings, settings, again, token: token)) == nil)
    }

    @Test func `A re-authentication within the request satisfies prompt and maximum age`() async throws {
        try await people.register()
        let token = try #require(try await people.login().sessionToken)
        server.time.advance(by: .seconds(7200))
        let uri = try await push(game, ["prompt": "login", "max_age": "60"])
        let flow = await begin(.login, Self.query(uri), token: token)
        let done = try await password(flow, token: token)
        #expect(await game.redeem(try code(of: done)).status == 200)
    }

    @Test func `A login of another account than the one that the request names is refused at the client`()
        async throws
    {
        try await people.register(1)
        try await people.register(2)
        let first = try await password(await begin(.login, Self.query(try await push())))
        let tokens = await game.redeem(try code(of: first))
        let uri = try await push(game, ["id_token_hint": tokens["id_token"]?.text])
        let done = try await password(await begin(.login, Self.query(uri)), 2)
        #expect(done.sessionToken != nil)
        #expect(parameters(of: done)?["error"] == "access_denied")
        #expect(parameters(of: done)?["state"] == "the state")
    }

    @Test func `A session that lacks its device certificate gets no code`() async throws {
        let phone = "+439999999999"
        let everyone = try await Self.client("all", at: server, own: #""first_party": true"#)
        let traits: JSONValue = .object(["phone": .string(phone)])
        let created = try await people.submit(
            .registration,
            try await people.beginRegistration(verified: phone, "?identity_schema=customer"),
            .object(["method": "password", "password": "000000", "traits": traits])
        )
        #expect(created.status == 200, "\(created.body)")
        let flow = await begin(.login, Self.query(try await push(everyone), client: "all"))
        let body: JSONValue = .object([
            "method": "password", "identifier": .string(phone), "password": "000000",
        ])
        let done = try await people.submit(.login, flow.flowID ?? "none", body)
        #expect(done.sessionToken != nil, "\(done.body)")
        #expect(parameters(of: done)?["error"] == "interaction_required")
    }

    // MARK: Refusals

    @Test(arguments: [
        (own: #""first_party": true"#, members: #""application_type": "native""#),
        (own: "", members: native),
        (own: "", members: #""application_type": "native""#),
    ])
    func `Only a first-party client without consent can use a native flow, and others keep their request`(
        own: String,
        members: String
    ) async throws {
        try await people.register()
        let other = try await Self.client("other", at: server, own: own, members: members)
        let uri = try await push(other)
        let refused = await begin(.login, Self.query(uri, client: "other"))
        #expect(refused.status == 400)
        #expect(refused.text.contains("first_party and skip_consent"))
        let visitor = PageVisitor(people)
        try await visitor.open(Route.authorization + "?client_id=other&request_uri=" + QueryItems.encode(uri))
        #expect(visitor.path == "/login")
    }

    @Test func `A client that has lost its permission since the start of the flow gets no code`() async throws
    {
        try await people.register()
        let flow = await begin(.login, Self.query(try await push()))
        try await server.database.transaction { transaction in
            _ = try transaction.execute("DELETE FROM clients WHERE id = 'game'")
        }
        _ = try await Self.client("game", at: server, members: #""application_type": "native""#)
        server.time.advance(by: .seconds(10))
        let done = try await password(flow)
        #expect(done.sessionToken != nil)
        #expect(parameters(of: done)?["code"] == nil)
    }

    @Test(arguments: ["none", "consent"])
    func `A prompt that needs a browser is refused at the start`(prompt: String) async throws {
        let uri = try await push(game, ["prompt": prompt])
        #expect(await begin(.login, Self.query(uri)).status == 400)
    }

    @Test func `A request without its client, of another client, or in another kind of flow is refused`()
        async throws
    {
        _ = try await Self.client("other", at: server)
        let token = try #require(try await people.register().sessionToken)
        let uri = try await push()
        let encoded = QueryItems.encode(uri)
        let refused: [(FlowKind, String)] = [
            (.login, "?request_uri=\(encoded)"), (.login, Self.query(uri, client: "other")),
            (.login, Self.query(uri, client: "unknown")), (.login, Self.query(uri + "x")),
            (.verification, Self.query(uri)), (.settings, Self.query(uri)),
            (.login, "?client_id=game&login_challenge=\(Identifier())"),
        ]
        for (kind, query) in refused {
            let answer = await begin(kind, query, token: kind == .settings ? token : nil)
            #expect(answer.status == 400, "\(kind) \(query)")
        }
        // None of them has used it up.
        #expect(await begin(.login, Self.query(uri)).status == 200)
    }

    // MARK: Once

    @Test func `A request is opened once, by one flow, browser or approval`() async throws {
        let token = try #require(try await people.register().sessionToken)
        let uri = try await push()
        let head = HTTP.Request(
            .head,
            "/a/self-service/login/api",
            query: String(Self.query(uri).dropFirst())
        )
        #expect(await people.send(head).status == 200)
        let flow = await begin(.login, Self.query(uri))
        #expect(flow.status == 200)
        #expect(await begin(.login, Self.query(uri)).errorID == .loginChallengeInvalid)
        let visitor = PageVisitor(people)
        let address = Route.authorization + "?client_id=game&request_uri=" + QueryItems.encode(uri)
        try await visitor.open(address)
        #expect(visitor.response.status == 400)
        let challenge = try #require(flow["oauth2_login_challenge"]?.text)
        try await visitor.open(Route.authorizationContinuation + "?login_challenge=\(challenge)")
        #expect(visitor.text.contains("This request was started in another browser"))
        #expect(try await approve(uri, token: token).status == 404)
        #expect(parameters(of: try await password(flow))?["code"] != nil)

        let shown = try await push()
        try await visitor.open(
            Route.authorization + "?client_id=game&request_uri=" + QueryItems.encode(shown)
        )
        #expect(await begin(.login, Self.query(shown)).errorID == .loginChallengeInvalid)
        let approved = try await push()
        #expect(try await approve(approved, token: token).status == 201)
        #expect(await begin(.login, Self.query(approved)).errorID == .loginChallengeInvalid)
    }

    private func approve(_ uri: String, token: String) async throws -> Answer {
        var request = HTTP.Request(
            .post,
            Route.approvals,
            headers: ["Content-Type": "application/json", "X-Session-Token": token]
        )
        request.body = try JSONCoding.encode(
            JSONValue.object(["client_id": "game", "request_uri": .string(uri)])
        )
        return await people.send(request)
    }

    @Test func `Of two simultaneous submissions, one gets the code`() async throws {
        try await people.register()
        let flow = await begin(.login, Self.query(try await push()))
        async let first = password(flow)
        async let second = password(flow)
        let codes = [try await first, try await second].compactMap { parameters(of: $0)?["code"] }
        #expect(codes.count == 1)
        #expect(try await server.count("grants") == 1)
        // A repetition starts a new flow, whose request was answered.
        let again = try await password(flow)
        #expect(again.status == 410)
        #expect(parameters(of: again) == nil)
    }

    @Test func `A withdrawn or expired request leaves a login without a code`() async throws {
        try await people.register()
        let withdrawn = try await push()
        let flow = await begin(.login, Self.query(withdrawn))
        _ = await game.send(["token": withdrawn], to: Route.revocation)
        let done = try await password(flow)
        #expect(done.sessionToken != nil)
        #expect(done["continue_with"] == .null)
        let late = await begin(.login, Self.query(try await push()))
        server.time.advance(by: .seconds(601))
        let expired = try await password(late)
        #expect(parameters(of: expired) == nil)
    }

    @Test func `A browser that opens the mail of an app's recovery doesn't get the app's code`() async throws
    {
        try await people.register()
        let flow = try #require(await begin(.recovery, Self.query(try await push())).flowID)
        _ = try await people.submitCode(.recovery, flow, ["email": .string(Self.mail)])
        _ = try await people.code(for: Self.mail)
        let message = try #require(people.inbox.messages(for: Self.mail).last)
        let link = String(try #require(message.body.exposed.firstMatch(of: #/https:\S+/#)).output)
        let visitor = PageVisitor(people)
        try await visitor.open(link)
        try await visitor.submit(["method": "code"])
        #expect(visitor.path == "/settings", "\(visitor.summary)")
        try await visitor.submit(["password": "another-Horse-8-battery", "method": "password"])
        #expect(visitor.location == nil)
        #expect(try await server.count("grants") == 0)
    }
}

extension AppFlowTests {
    private init(_ server: ProviderServer, game: RelyingParty, key: SigningKey) {
        (self.server, self.game, self.key) = (server, game, key)
    }
}

extension Answer {
    fileprivate var text: String { String(decoding: response.body, as: UTF8.self) }
}
