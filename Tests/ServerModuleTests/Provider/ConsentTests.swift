import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// The scopes that users agree to, and the accounts that can agree.
@Suite("Consents to scopes", .onEachDatabase)
struct ConsentTests {
    private static let credentials = [
        "identifier": "person1@example.org", "password": SelfServiceServer.password, "method": "password",
    ]

    private let server: ProviderServer
    private let shop: RelyingParty

    init() async throws {
        server = try await ProviderServer()
        shop = try await server.client()
    }

    @Test func `A user can leave out scopes, except for openid, and is asked about them again`() async throws
    {
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address())
        #expect(visitor.isQuestion)
        try await visitor.submit(["decision": "approve", "grant_scope": "email"])
        let tokens = await shop.redeem(try shop.code(of: visitor))
        #expect(tokens["scope"] == "openid email")
        #expect(tokens.refreshToken == nil)
        #expect(try await server.count("consents", where: "scopes = 'openid email'") == 1)
        try await visitor.open(shop.address(["scope": "openid email"]))
        _ = try shop.code(of: visitor)
        // Consent to some of the scopes is no consent to all of them.
        try await visitor.open(shop.address())
        #expect(visitor.isQuestion)
        try await visitor.open(shop.address(["scope": "openid profile"]))
        #expect(visitor.isQuestion)
    }

    @Test func `Scopes that the request doesn't contain can't be granted`() async throws {
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address(["scope": "openid"]))
        try await visitor.submit(["decision": "approve", "grant_scope": "email"])
        #expect(await shop.redeem(try shop.code(of: visitor))["scope"] == "openid")
    }

    @Test func `An approval without any scope is a refusal`() async throws {
        let plain = try await server.client("plain", scope: "profile offline_access")
        let visitor = try await server.signedUp()
        try await visitor.open(plain.address())
        try await visitor.submit(["decision": "approve", "grant_scope": ""])
        #expect(plain.parameters(of: visitor)?["error"] == "access_denied")
        #expect(try await server.count("grants") == 0)
        #expect(try await server.count("consents") == 0)
    }

    @Test func `A client that needs no consent leaves none`() async throws {
        let trusted = try await server.client("trusted", own: "", #""skip_consent": true"#)
        let visitor = try await server.signedUp()
        try await visitor.open(trusted.address())
        let tokens = await trusted.redeem(try trusted.code(of: visitor))
        #expect(tokens["scope"] == .string(trusted.scope))
        #expect(try await server.count("consents") == 0)
    }

    @Test func `Accounts of other schemas than the client's can't log in at it`() async throws {
        let foreign = try await server.client("foreign", own: #""schemas": ["customer"]"#)
        let own = try await server.client("own", own: #""schemas": ["customer", "person"]"#)
        let visitor = try await server.signedUp()
        server.time.advance(by: .seconds(60))
        try await visitor.open(own.address())
        #expect(visitor.isQuestion)
        try await visitor.open(foreign.address(["prompt": "none"]))
        #expect(foreign.parameters(of: visitor)?["error"] == "login_required")
        // The user may have another account, and is told at the client if it isn't one of those either.
        try await visitor.open(foreign.address())
        #expect(visitor.path == "/login", "\(visitor.summary)")
        try await visitor.submit(Self.credentials)
        #expect(foreign.parameters(of: visitor)?["error"] == "access_denied", "\(visitor.summary)")
        #expect(try await server.count("grants") == 0)
    }

    @Test func `A replaced session cookie doesn't count as a new login`() async throws {
        let visitor = try await server.signedUp()
        server.time.advance(by: .seconds(60))
        try await visitor.open(shop.address(["prompt": "login"]))
        let rows = try await server.database.rows("SELECT id FROM authorization_requests")
        let address = Route.authorizationContinuation + "?login_challenge=\(try rows[0].identifier(0))"
        let before = visitor.browser.cookies
        try await visitor.submit(Self.credentials)
        #expect(visitor.isQuestion)
        let copy = PageVisitor(copying: visitor, to: server.people)
        copy.browser.cookies = before
        #expect(await copy.browser.get("/sessions/whoami").status == 200)
        try await copy.open(address)
        #expect(copy.path == "/login", "\(copy.summary)")
        try await visitor.submit(["decision": "approve"])
        _ = try shop.code(of: visitor)
    }
}
