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

    @Test(arguments: [Kind.mock, .mockWithoutRefreshTokens, .django])
    func `The user of an ID token is logged in, and requests contain the access token`(
        kind: Kind
    ) async throws {
        let provider = try await OpenIDProvider(kind)
        let client = try provider.client()

        let session = try await client.signIn(
            in: provider.browser(),
            options: AuthorizationOptions(scopes: ["profile", "email"])
        )

        #expect(session.identity.id == provider.subject)
        #expect(client.sessionState.session?.identity.id == provider.subject)
        #expect(try await client.send(provider.userInfo, to: provider.origin).status == 200)
        #expect(await failure { try await client.account.identity() }?.code == .sessionRequired)
    }

    @Test(arguments: [(Kind.mock, false), (Kind.django, true)])
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

    /// The providers, and whether their metadata contain an endpoint for revocation.
    @Test(arguments: [(Kind.mock, false), (Kind.django, true)])
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

    @Test func `A user who doesn't consent dismisses the login`() async throws {
        let provider = try await OpenIDProvider(.django)
        let client = try provider.client()

        let error = await failure { try await client.signIn(in: provider.browser(consenting: false)) }

        #expect(error?.code == .dismissed)
        #expect(client.sessionState == .signedOut)
    }

    @Test func `A provider that spells its issuer differently is rejected before the browser opens`()
        async throws
    {
        let provider = try await OpenIDProvider(.mock)
        let client = try provider.client(issuer: provider.issuer + "/")

        let error = await failure { try await client.signIn(in: provider.browser()) }

        #expect(error?.code == .invalidResponse)
        #expect(error?.message.contains("another issuer") == true)
    }
}
