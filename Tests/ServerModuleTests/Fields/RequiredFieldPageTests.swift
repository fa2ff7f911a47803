import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Pages that ask for the required fields of a client` {
    private static let fields = #""required_fields": [{"name": "name", "minimum_length": 2}]"#
    private static let blocking = fields + #", "blocking": ["required_fields"]"#

    private let server: ProviderServer

    init() async throws {
        server = try await ProviderServer()
    }

    @Test func `An authorization request leads to the missing fields and then to the client`() async throws {
        let shop = try await server.client(own: Self.blocking)
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address())
        #expect(visitor.path == "/settings", "\(visitor.summary)")
        #expect(visitor.field("traits.name") != nil && visitor.field("password") == nil)
        #expect(visitor.field("traits.email") == nil)

        try await visitor.submit(["traits.name": "A", "method": "profile"])
        #expect(visitor.path == "/settings" && visitor.text.contains("too short"), "\(visitor.summary)")
        try await visitor.submit(["traits.name": "Ann", "method": "profile"])
        if visitor.isQuestion { try await visitor.submit(["decision": "approve"]) }
        let tokens = await shop.redeem(try shop.code(of: visitor))
        #expect(tokens.status == 200, "\(tokens.body)")
        // The next request finds a complete profile.
        #expect(try await shop.tokens(of: visitor).status == 200)
    }

    @Test func `A user who logs in within the request is asked as well`() async throws {
        let shop = try await server.client(own: Self.blocking)
        _ = try await server.signedUp()
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address())
        try await visitor.submit([
            "identifier": "person1@example.org", "password": SelfServiceServer.password, "method": "password",
        ])
        #expect(visitor.path == "/settings", "\(visitor.summary)")
    }

    @Test func `Fields that don't block don't interrupt the request`() async throws {
        let shop = try await server.client(own: Self.fields)
        let tokens = try await shop.tokens(of: try await server.signedUp())
        #expect(tokens["duties"] == ["complete_profile"])
    }

    @Test func `A client that asks for no page is told that the user has something to do`() async throws {
        let shop = try await server.client(own: Self.blocking)
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address(["prompt": "none"]))
        #expect(shop.parameters(of: visitor)?["error"] == "interaction_required", "\(visitor.summary)")
    }

    @Test func `A user who doesn't want to give the fields can cancel the request`() async throws {
        let shop = try await server.client(own: Self.blocking)
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address())
        let link = try #require(
            visitor.text.firstMatch(of: #/formaction="([^"]*)"/#)?.output.1,
            "\(visitor.summary)"
        )
        try await visitor.submit([:], to: String(link).replacing("&amp;", with: "&"))
        #expect(shop.parameters(of: visitor)?["error"] == "access_denied", "\(visitor.summary)")
    }

    @Test func `A sign-up within a request asks for the fields`() async throws {
        let shop = try await server.client(own: Self.fields)
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address(["prompt": "create"]))
        var values = [
            "traits.email": "person1@example.org", "traits.phone": "+46701000001", "method": "password",
            "password": SelfServiceServer.password,
        ]
        try await visitor.submit(values)
        #expect(visitor.path == "/registration", "\(visitor.summary)")
        #expect(try await server.count("identities") == 0)
        values["traits.name"] = "Ann"
        try await visitor.submit(values)
        if visitor.isQuestion { try await visitor.submit(["decision": "approve"]) }
        let tokens = await shop.redeem(try shop.code(of: visitor))
        #expect(tokens.status == 200 && tokens["duties"] == nil, "\(tokens.body)")
    }
}
