import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Logins with an OAuth grant` {
    private static let tokens = "POST /oauth2/token"

    /// Returns an engine whose store contains a grant with tokens that are valid for ten minutes.
    private static func device(_ credential: Credential = .sessionToken) async throws -> TestEngine {
        let device = try TestEngine(credential: credential)
        let pair = TokenPair(
            access: "access-1",
            refresh: "refresh-1",
            lifespan: .seconds(600),
            receivedAt: device.time.now
        )
        let stored = StoredSession(
            login: LoginID(random: SeededRandom()),
            session: UserSession(id: "", identity: Identity(id: "identity", schema: "person")),
            credential: .grant(OAuthGrant(pair: pair, client: "shop", scopes: ["openid"])),
            key: StoredKey(try device.keys.makeKey().storedForm),
            certificate: nil,
            requiresCertificate: false
        )
        _ = try device.store.write(stored.encoded(), basedOn: 0)
        device.server.answer(
            tokens,
            .json(
                200,
                #"{"access_token":"access-2","refresh_token":"refresh-2","token_type":"Bearer","expires_in":600}"#
            )
        )
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

        #expect(device.server.log == [Self.tokens, "GET /me"])
        #expect(
            device.server.requests.first?.text
                == "grant_type=refresh_token&refresh_token=refresh-1&client_id=shop"
        )
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
        #expect(device.server.log == [Self.tokens])

        device.server.answer(Self.tokens, .json(400, #"{"error":"invalid_grant"}"#))
        #expect(try await device.engine.check().session == nil)
        #expect(device.isClean)
    }

    @Test(arguments: [
        HTTP.Response.json(400, #"{"error":"invalid_request"}"#),
        .json(401, #"{"error":"invalid_client"}"#), HTTP.Response(401), HTTP.Response(503),
    ])
    func `Only an invalid_grant error ends the grant`(_ answer: HTTP.Response) async throws {
        let device = try await Self.device()
        device.server.answer(Self.tokens, answer)

        #expect(await outcome { try await device.engine.check() }.error != nil)

        #expect(device.engine.keeper.held != nil)
        #expect(device.server.log == [Self.tokens])
    }
}
