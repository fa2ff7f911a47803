import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Documents in the settings` {
    private static let accepted: [String: JSONValue] = [
        "method": "profile", "terms.shop.text": .string("1/en/" + TermsServer.hash()),
        "terms.shop.accepted": true,
    ]

    private func world(isBlocking: Bool = false) async throws -> (TermsServer, TermsServer.User) {
        let terms = try await TermsServer { if isBlocking { $0.terms.blocking = ["shop"] } }
        let user = try await terms.register()
        try await terms.publish()
        return (terms, user)
    }

    private func submit(
        _ members: [String: JSONValue],
        to terms: TermsServer,
        by user: TermsServer.User
    ) async throws -> Answer {
        let flow = await terms.server.begin(.settings, token: user.token)
        return try await terms.server.submit(.settings, flow, .object(members), token: user.token)
    }

    @Test func `The profile shows the documents that are open, and no others`() async throws {
        let (terms, user) = try await world()
        let open = await terms.server.get("/self-service/settings/api", token: user.token)
        #expect(open.node("terms.shop.accepted")?["group"] == "profile")
        #expect(open.node("decline_terms")?["attributes"]?["type"] == "submit")
        #expect(try await submit(Self.accepted, to: terms, by: user).status == 200)
        let closed = await terms.server.get("/self-service/settings/api", token: user.token)
        #expect(closed.node("terms.shop.accepted") == nil && closed.node("decline_terms") == nil)
        #expect(await terms.asked(user.token) == [])
        #expect(try await terms.rows(of: user) == ["acceptance 1"])
    }

    @Test
    func `Traits and answers are saved together, and the traits alone while the document doesn't block`()
        async throws
    {
        let (terms, user) = try await world()
        let traits: JSONValue = ["email": "person1@example.org", "phone": "+46701000001", "name": "Ann"]
        #expect(try await submit(["method": "profile", "traits": traits], to: terms, by: user).status == 200)
        #expect(await terms.asked(user.token) == ["terms.shop"])
        let both = Self.accepted.merging(["traits": traits]) { _, new in new }
        #expect(try await submit(both, to: terms, by: user).status == 200)
        #expect(await terms.asked(user.token) == [])
    }

    @Test func `While the document blocks, the form asks for nothing else and needs the answer`() async throws
    {
        let (terms, user) = try await world(isBlocking: true)
        let form = await terms.server.get("/self-service/settings/api", token: user.token)
        #expect(form.node("terms.shop.accepted") != nil && form.node("password") == nil)
        let refused = try await submit(
            ["method": "profile", "traits": SelfServiceServer.traits()],
            to: terms,
            by: user
        )
        #expect(refused.messages("terms.shop.accepted") == [.missing], "\(refused.body)")
        #expect(await terms.server.get("/sessions", token: user.token).status == 200)
        #expect(try await submit(Self.accepted, to: terms, by: user).status == 200)
        #expect(await terms.asked(user.token) == [])
    }

    @Test(arguments: [true, false])
    func `Declining ends the session, and the next login asks again`(isBlocking: Bool) async throws {
        let (terms, user) = try await world(isBlocking: isBlocking)
        let answer = try await submit(
            Self.accepted.merging(["decline_terms": "true"]) { _, new in new },
            to: terms,
            by: user
        )
        #expect(answer.status == 401)
        #expect(await terms.server.get("/sessions/whoami", token: user.token).status == 401)
        #expect(try await terms.rows(of: user) == ["refusal 1"])
        let next = try await terms.logIn()
        #expect(await terms.asked(next) == ["terms.shop"])
        #expect(try await terms.server.count("identities") == 1)
    }

    @Test func `Without open documents, the button to decline has no effect`() async throws {
        let terms = try await TermsServer()
        let user = try await terms.register()
        let answer = try await submit(["decline_terms": "true"], to: terms, by: user)
        #expect(answer.status == 400, "\(answer.body)")
        #expect(await terms.server.get("/sessions/whoami", token: user.token).status == 200)
    }
}

@Suite(.onEachDatabase) struct `Pages that ask for documents` {
    private let server: ProviderServer
    private let terms: TermsServer

    init() async throws {
        server = try await ProviderServer()
        terms = TermsServer(admin: AdminServer(people: server.people))
    }

    @Test func `An authorization request leads to the documents, then to the consent and to the client`()
        async throws
    {
        let shop = try await server.client()
        let visitor = try await server.signedUp()
        try await terms.publish()
        try await visitor.open(shop.address())
        #expect(visitor.path == "/settings", "\(visitor.summary)")
        #expect(visitor.text.contains("/terms/shop/1?lang=en") && visitor.field("password") == nil)

        try await visitor.submit(["terms.shop.accepted": "true", "method": "profile"])
        if visitor.isQuestion { try await visitor.submit(["decision": "approve"]) }
        let tokens = await shop.redeem(try shop.code(of: visitor))
        #expect(tokens.status == 200 && tokens["duties"] == nil, "\(tokens.body)")
        #expect(try await shop.tokens(of: visitor).status == 200)
    }

    @Test func `A silent request isn't interrupted by a document that doesn't block`() async throws {
        let shop = try await server.client()
        let visitor = try await server.signedUp()
        #expect(try await shop.tokens(of: visitor).status == 200)
        try await terms.publish()
        try await visitor.open(shop.address(["prompt": "none"]))
        #expect(shop.parameters(of: visitor)?["code"] != nil, "\(visitor.summary)")
    }

    @Test func `Declining logs out on the page`() async throws {
        let shop = try await server.client()
        let visitor = try await server.signedUp()
        try await terms.publish()
        try await visitor.open(shop.address())
        try await visitor.submit(["decline_terms": "true"])
        #expect(visitor.path == "/login", "\(visitor.summary)")
        #expect(try await terms.count() == 1)
        #expect(try await server.people.count("identities") == 1)
    }

    @Test func `A sign-up on the page asks for the documents`() async throws {
        try await terms.publish()
        let visitor = PageVisitor(server.people)
        try await visitor.open("/registration")
        let values = [
            "traits.email": "person1@example.org", "traits.phone": "+46701000001", "method": "password",
            "password": SelfServiceServer.password, "terms.shop.accepted": "false",
        ]
        try await visitor.submit(values)
        #expect(
            visitor.path == "/registration" && visitor.text.contains("Please confirm this"),
            "\(visitor.summary)"
        )
        #expect(try await server.count("identities") == 0)
        try await visitor.submit(values.merging(["terms.shop.accepted": "true"]) { _, new in new })
        #expect(try await server.count("identities") == 1, "\(visitor.summary)")
        #expect(try await terms.count() == 1)
    }
}
