import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Logins with an OAuth grant` {
    private static let tokens = "POST /oauth2/token"
    private static let userInfo = "GET /userinfo"
    private static let discovery = "GET /.well-known/openid-configuration"
    private static let metadata = """
        {"issuer": "\(FakeIdentityServer.origin)", \
        "authorization_endpoint": "\(FakeIdentityServer.origin)/oauth2/auth", \
        "token_endpoint": "\(FakeIdentityServer.origin)/oauth2/token", \
        "userinfo_endpoint": "\(FakeIdentityServer.origin)/userinfo", \
        "revocation_endpoint": "\(FakeIdentityServer.origin)/oauth2/revoke", \
        "jwks_uri": "\(FakeIdentityServer.origin)/jwks"}
        """

    /// Returns an engine whose store contains a grant with tokens that are valid for ten minutes.
    private static func device(
        _ credential: Credential = .sessionToken,
        issuer: String = FakeIdentityServer.origin,
        refresh: Secret? = "refresh-1",
        isBound: Bool = false
    ) async throws -> TestEngine {
        let client = ClientRegistration(id: "shop", issuer: FakeIdentityServer.origin)
        let device = try TestEngine(credential: credential, client: client)
        let pair = TokenPair(
            access: "access-1",
            refresh: refresh,
            lifespan: .seconds(600),
            receivedAt: device.time.now,
            isBound: isBound
        )
        let stored = StoredSession(
            login: LoginID(random: SeededRandom()),
            session: UserSession(id: "", identity: Identity(id: "identity", schema: "person")),
            credential: .grant(
                OAuthGrant(pair: pair, issuer: issuer, client: "shop", scopes: ["openid"])
            ),
            key: StoredKey(try device.keys.makeKey().storedForm),
            certificate: nil,
            requiresCertificate: false
        )
        _ = try device.store.write(stored.encoded(), basedOn: 0)
        device.server.respond(
            to: tokens,
            with: .json(
                200,
                #"{"access_token":"access-2","refresh_token":"refresh-2","token_type":"Bearer","expires_in":600}"#
            )
        )
        device.server.respond(to: discovery, with: .json(200, metadata))
        await device.engine.keeper.ready(again: true)
        return device
    }

    private static func ask(_ device: TestEngine) async throws -> HTTP.Response {
        try await device.engine.requests.send(HTTP.Request(.get, "/me"), to: "https://api.example.com")
    }

    @Test(arguments: [Credential.sessionToken, .accessToken])
    func `Requests contain the access token`(_ credential: Credential) async throws {
        let device = try await Self.device(credential)

        _ = try await Self.ask(device)

        #expect(device.server.requests.map { $0.headers["Authorization"] } == ["Bearer access-1"])
        #expect(device.engine.keeper.held?.handle.isPair == true)
    }

    @Test func `An expired access token is refreshed with the client's id`() async throws {
        let device = try await Self.device()
        let login = device.engine.keeper.held?.handle.login
        device.time.advance(by: .seconds(601))

        _ = try await Self.ask(device)

        #expect(device.server.log == [Self.discovery, Self.tokens, "GET /me"])
        let request = device.server.requests[1]
        #expect(request.text == "grant_type=refresh_token&refresh_token=refresh-1&client_id=shop")
        #expect(request.headers["DPoP"] == nil)
        #expect(device.server.requests.last?.headers["Authorization"] == "Bearer access-2")
        let held = try #require(device.engine.keeper.held)
        #expect(held.handle.login == login)
        guard case .grant(let grant) = held.stored.credential else {
            Issue.record("The login is no longer a grant.")
            return
        }
        #expect(grant.client == "shop" && grant.scopes == ["openid"])
        #expect(grant.pair.refresh == "refresh-2")
    }

    @Test func `A check refreshes the tokens to find out whether the grant has ended`()
        async throws
    {
        let device = try await Self.device()

        #expect(try await device.engine.check().session != nil)
        #expect(device.server.log == [Self.discovery, Self.tokens])

        device.server.respond(to: Self.tokens, with: .json(400, #"{"error":"invalid_grant"}"#))
        #expect(try await device.engine.check().session == nil)
        #expect(device.isClean)
    }

    @Test(arguments: [
        HTTP.Response.json(400, #"{"error":"invalid_request"}"#),
        .json(401, #"{"error":"invalid_client"}"#), HTTP.Response(401), HTTP.Response(503),
    ])
    func `Only an invalid_grant error ends the grant`(_ answer: HTTP.Response) async throws {
        let device = try await Self.device()
        device.server.respond(to: Self.tokens, with: answer)

        #expect(await outcome { try await device.engine.check() }.error != nil)

        #expect(device.engine.keeper.held != nil)
        #expect(device.server.log == [Self.discovery, Self.tokens])
    }

    @Test func `A refresh token goes to no other provider than the one that issued it`() async throws {
        let device = try await Self.device(issuer: "https://accounts.example.org")
        device.time.advance(by: .seconds(601))

        #expect(await outcome { try await Self.ask(device) }.error?.code == .refused)
        #expect(device.server.log.isEmpty && device.engine.keeper.held != nil)
    }

    @Test func `Bound tokens are refreshed with a proof, and not for bearer tokens`() async throws {
        let device = try await Self.device(isBound: true)
        device.time.advance(by: .seconds(601))

        #expect(await outcome { try await Self.ask(device) }.error?.code == .refused)

        #expect(device.server.log == [Self.discovery, Self.tokens])
        #expect(device.server.requests[1].headers["DPoP"] != nil)
        #expect(device.engine.keeper.held?.stored.pair?.access == "access-1")
    }

    @Test func `A rejected proof is replaced by one with the provider's time`() async throws {
        let device = try await Self.device(isBound: true)
        device.time.advance(by: .seconds(601))
        let start = device.time.now
        var rejection = HTTP.Response.json(400, #"{"error":"invalid_dpop_proof"}"#)
        rejection.headers["Date"] = (start + .seconds(3600)).httpDate
        device.server.respond(to: Self.tokens, with: rejection)

        #expect(await outcome { try await Self.ask(device) }.error?.code == .refused)

        #expect(device.server.log == [Self.discovery, Self.tokens, Self.tokens])
        let times = try device.server.requests.dropFirst().map { request in
            let proof = try #require(request.headers["DPoP"]).split(separator: ".")
            let claims = try JSONCoding.decode(JSONValue.self, from: #require(Base64URL.decode(proof[1])))
            return try #require(claims["iat"]?.integer)
        }
        #expect(times.map { Int64($0) - start.seconds } == [0, 3600])
    }

    @Test func `A provider that sends no new refresh token accepts the old one again`() async throws {
        let device = try await Self.device()
        device.server.respond(
            to: Self.tokens,
            with: .json(200, #"{"access_token":"access-2","token_type":"bearer"}"#)
        )
        device.time.advance(by: .seconds(601))

        _ = try await Self.ask(device)

        #expect(device.engine.keeper.held?.stored.pair?.refresh == "refresh-1")
        #expect(device.engine.keeper.held?.stored.pair?.access == "access-2")
    }

    /// Answers about an access token that can't be refreshed, and whether they end the login.
    @Test(arguments: [
        (HTTP.Response(401, headers: ["WWW-Authenticate": #"Bearer error="invalid_token""#]), true),
        (HTTP.Response(401), false), (HTTP.Response(200), false), (HTTP.Response(503), false),
    ])
    func `Without a refresh token, the provider says when the login has ended`(
        answer: HTTP.Response,
        isEnd: Bool
    ) async throws {
        let device = try await Self.device(refresh: nil)
        device.server.respond(to: Self.userInfo, with: answer)
        device.time.advance(by: .seconds(601))

        let error = await outcome { try await Self.ask(device) }.error

        #expect(error?.code == (isEnd ? .signedOut : .refused))
        #expect((device.engine.keeper.held == nil) == isEnd)
        #expect(!device.server.log.contains(Self.tokens))
    }

    @Test func `Calls that need a session of the identity server say so, and send nothing`() async throws {
        let device = try await Self.device()
        let account = Account(engine: device.engine.flows)

        #expect(await outcome { try await account.identity() }.error?.code == .sessionRequired)
        let request = HTTP.Request(.get, "/a/sessions/whoami")
        let sent = await outcome {
            try await device.engine.requests.send(request, to: FakeIdentityServer.origin)
        }
        #expect(sent.error?.code == .sessionRequired)
        #expect(device.server.log.isEmpty)
    }
}
