import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Logins at other OpenID providers` {
    typealias Kind = OpenIDProvider.Kind

    private static func pair(of client: LatchkeyClient) throws -> TokenPair {
        try #require(client.engine.keeper.held?.stored.pair)
    }

    @Test(arguments: [
        Kind.mock, .mockWithoutRefreshTokens, .django, .glewlwyd, .glewlwydWithNonces,
        .glewlwydWithBearerTokens,
    ])
    func `The user of an ID token is logged in, and requests contain the access token`(
        kind: Kind
    ) async throws {
        let provider = try await OpenIDProvider(kind)
        let client = try provider.client()

        let session = try await client.signIn(
            in: provider.browser(),
            options: AuthorizationOptions(scopes: ["profile", "email"])
        )

        #expect(client.sessionState.session?.identity.id == session.identity.id)
        let userInfo = try await client.send(provider.userInfo, to: provider.origin)
        #expect(userInfo.status == 200)
        let claims = try JSONCoding.decode(JSONValue.self, from: userInfo.body)
        #expect(claims["sub"]?.text == session.identity.id)
        #expect(await failure { try await client.account.identity() }?.code == .sessionRequired)
    }

    @Test(arguments: [
        (Kind.mock, false), (.django, true), (.glewlwyd, true), (.glewlwydWithNonces, false),
        (.glewlwydWithBearerTokens, false),
    ])
    func `Expired tokens are refreshed, whether or not the provider rotates refresh tokens`(
        kind: Kind,
        rotates: Bool
    ) async throws {
        let provider = try await OpenIDProvider(kind)
        let time = VirtualTime(now: SystemTime().now)
        let client = try provider.client(time: time)
        try await client.signIn(in: provider.browser())
        var former = try Self.pair(of: client)

        for _ in 1...2 {
            time.advance(by: OpenIDProvider.lifespan + .seconds(1))
            #expect(try await client.send(provider.userInfo, to: provider.origin).status == 200)
            let pair = try Self.pair(of: client)
            #expect(pair.access != former.access)
            #expect((pair.refresh != former.refresh) == rotates)
            former = pair
        }
    }

    @Test func `Without a refresh token, a login outlasts its access token, but can't send requests`()
        async throws
    {
        let provider = try await OpenIDProvider(.mockWithoutRefreshTokens)
        let time = VirtualTime(now: SystemTime().now)
        let client = try provider.client(time: time)
        try await client.signIn(in: provider.browser())

        time.advance(by: OpenIDProvider.lifespan + .seconds(1))
        let error = await failure { try await client.send(provider.userInfo, to: provider.origin) }

        #expect(error?.code == .refused)
        #expect(client.sessionState.isSignedIn)
    }

    @Test(arguments: [Kind.mock, .django])
    func `A login that was ended at the provider ends on the device when it is checked`(
        kind: Kind
    ) async throws {
        let provider = try await OpenIDProvider(kind)
        let client = try provider.client()
        try await client.signIn(in: provider.browser())
        #expect(try await client.checkSession().isSignedIn)

        let pair = try Self.pair(of: client)
        try await provider.endLogin(of: try #require(pair.refresh))

        #expect(try await client.checkSession() == .signedOut)
    }

    /// Glewlwyd answers without the error `invalid_grant` (RFC 6749, section 5.2), which a gateway can do, too.
    @Test func `A login isn't ended by a provider that rejects a refresh token without saying why`()
        async throws
    {
        let provider = try await OpenIDProvider(.glewlwydWithBearerTokens)
        let client = try provider.client()
        try await client.signIn(in: provider.browser())
        #expect(try await client.checkSession().isSignedIn)

        let pair = try Self.pair(of: client)
        try await provider.endLogin(of: try #require(pair.refresh))

        #expect(await failure { try await client.checkSession() }?.code == .invalidResponse)
        #expect(client.sessionState.isSignedIn)
    }

    /// The providers, and whether their metadata contain an endpoint for revocation.
    @Test(arguments: [(Kind.mock, false), (.django, true)])
    func `A logout revokes the refresh token if the provider publishes an endpoint for this`(
        kind: Kind,
        revokes: Bool
    ) async throws {
        let provider = try await OpenIDProvider(kind)
        let client = try provider.client()
        try await client.signIn(in: provider.browser())
        let pair = try Self.pair(of: client)
        let refreshToken = try #require(pair.refresh)

        client.signOut()

        #expect(client.sessionState == .signedOut)
        #expect(await client.engine.revocations?.settle() == true)
        #expect(try await provider.accepts(refreshToken) == !revokes)
    }

    /// Glewlwyd requires the secret of a client, which a native app doesn't have.
    @Test func `A logout is completed, and not forgotten, if the provider rejects the revocation`()
        async throws
    {
        let provider = try await OpenIDProvider(.glewlwydWithBearerTokens)
        let client = try provider.client()
        try await client.signIn(in: provider.browser())
        let pair = try Self.pair(of: client)
        let refreshToken = try #require(pair.refresh)

        client.signOut()

        #expect(client.sessionState == .signedOut)
        #expect(await client.engine.revocations?.settle() == false)
        #expect(try await provider.accepts(refreshToken))
    }

    @Test(arguments: [Kind.glewlwyd, .glewlwydWithBearerTokens])
    func `The scopes that the user has granted are stored`(kind: Kind) async throws {
        let provider = try await OpenIDProvider(kind)
        let client = try provider.client()

        let session = try await client.signIn(
            in: provider.browser(granting: ["email"]),
            options: AuthorizationOptions(scopes: ["profile", "email"])
        )

        guard case .grant(let grant)? = client.engine.keeper.held?.stored.credential else {
            Issue.record("The login isn't a grant.")
            return
        }
        #expect(grant.scopes == ["openid", "email"])
        #expect(session.identity.email != nil)
    }

    @Test func `A login without a page fails if the user isn't logged in at the provider`()
        async throws
    {
        // Glewlwyd ignores `prompt` in pushed requests.
        let provider = try await OpenIDProvider(.glewlwydWithBearerTokens)
        let client = try provider.client()

        let error = await failure {
            try await client.signIn(
                in: provider.browser(),
                options: AuthorizationOptions(prompt: .init(rawValue: "none"))
            )
        }

        #expect(error?.code == .refused)
        #expect(client.sessionState == .signedOut)
    }

    @Test func `A user who doesn't consent dismisses the login`() async throws {
        let provider = try await OpenIDProvider(.django)
        let client = try provider.client()

        let error = await failure { try await client.signIn(in: provider.browser(consenting: false)) }

        #expect(error?.code == .dismissed)
        #expect(client.sessionState == .signedOut)
    }

    @Test(arguments: [Kind.mock, .glewlwyd])
    func `A provider that spells its issuer differently is rejected before the browser opens`(
        kind: Kind
    ) async throws {
        let provider = try await OpenIDProvider(kind)
        let client = try provider.client(issuer: provider.issuer + "/")

        let error = await failure { try await client.signIn(in: provider.browser()) }

        #expect(error?.code == .invalidResponse)
        #expect(error?.message.contains("another issuer") == true)
    }
}
