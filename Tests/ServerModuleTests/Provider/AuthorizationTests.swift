import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

@Suite("Authorization requests", .onEachDatabase)
struct AuthorizationTests {
    private let server: ProviderServer

    init() async throws {
        server = try await ProviderServer()
    }

    @Test func `A user consents once, and the client gets tokens for a code that is redeemed once`()
        async throws
    {
        let shop = try await server.client()
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address())
        #expect(visitor.path == "/consent")
        #expect(visitor.text.contains("The Shop"))
        try await visitor.submit(["decision": "approve"])
        let code = try shop.code(of: visitor)
        let tokens = await shop.redeem(code)
        #expect(tokens.status == 200, "\(tokens.body)")
        #expect(tokens["token_type"] == "Bearer")
        #expect(tokens.idClaims["nonce"] == "the nonce")
        #expect(tokens.idClaims["aud"] == "shop")
        let info = await shop.userInfo(tokens.accessToken)
        #expect(info.status == 200, "\(info.body)")
        #expect(info["sub"] == tokens.idClaims["sub"])

        let refreshed = await shop.refresh(try #require(tokens.refreshToken))
        #expect(refreshed.status == 200, "\(refreshed.body)")
        #expect(refreshed.idClaims["nonce"] == nil)
        #expect(refreshed.idClaims["sub"] == tokens.idClaims["sub"])

        // The next request needs no answer, and no row.
        try await visitor.open(shop.address())
        _ = try shop.code(of: visitor)
        #expect(try await server.count("authorization_requests") == 1)

        let again = await shop.redeem(code)
        #expect(again.oauthError == "invalid_grant")
        #expect(await shop.userInfo(refreshed.accessToken).status == 401)
    }
    @Test(arguments: [(60_000, 303), (70_000, 413)])
    func `Cancel works with whatever the user has typed into a login page that the login itself would accept`(
        length: Int,
        status: Int
    ) async throws {
        let shop = try await server.client()
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address())
        let button = try #require(visitor.text.firstMatch(of: #/formaction="([^"]*)"/#)).output.1
        let typed = ["identifier": "person1@example.org", "password": String(repeating: "p", count: length)]
        try await visitor.submit(typed, to: String(button).replacing("&amp;", with: "&"))
        #expect(visitor.response.status == status)
        guard status == 303 else { return }
        #expect(shop.parameters(of: visitor)?["error"] == "access_denied")
    }
}
