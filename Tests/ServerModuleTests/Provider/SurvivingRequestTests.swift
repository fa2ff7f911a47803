import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// Each of these users ends at the client with a code and the original state.
@Suite("Authorization requests survive", .onEachDatabase)
struct SurvivingRequestTests {
    private static let state = String(repeating: "s", count: 2048)
    private static let mail = "person1@example.org"
    private static let phone = "+46701000001"
    private static let credentials = [
        "identifier": mail, "password": SelfServiceServer.password, "method": "password",
    ]

    private let server: ProviderServer
    private let shop: RelyingParty

    init() async throws {
        server = try await ProviderServer()
        shop = try await server.client()
    }

    /// Opens the client's request in a new browser.
    private func begin(_ parameters: [String: String?] = [:], account: Bool = true) async throws
        -> PageVisitor
    {
        if account { _ = try await server.signedUp() }
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address(parameters.merging(["state": Self.state]) { $1 }))
        return visitor
    }

    /// Answers the question and redeems the code.
    private func finish(_ visitor: PageVisitor, at other: RelyingParty? = nil) async throws {
        if visitor.isQuestion { try await visitor.submit(["decision": "approve"]) }
        let parameters = try #require(shop.parameters(of: visitor), "\(visitor.summary)")
        #expect(parameters["state"] == Self.state)
        let tokens = await (other ?? shop).redeem(try #require(parameters["code"], "\(parameters)"))
        #expect(tokens.status == 200, "\(tokens.body)")
        #expect(tokens.idClaims["nonce"] == "the nonce")
    }

    @Test func `after a login`() async throws {
        let visitor = try await begin()
        #expect(visitor.path == "/login")
        #expect(visitor.text.contains("The Shop"))
        try await visitor.submit(Self.credentials)
        try await finish(visitor)
    }

    @Test func `after a wrong password`() async throws {
        let visitor = try await begin()
        try await visitor.submit(Self.credentials.merging(["password": "wrong password"]) { $1 })
        #expect(visitor.path == "/login")
        try await visitor.submit(Self.credentials)
        try await finish(visitor)
    }

    @Test func `after a sign-up`() async throws {
        let visitor = try await begin(["prompt": "create"], account: false)
        #expect(visitor.path == "/registration")
        try await visitor.submit([
            "traits.email": Self.mail, "traits.phone": "+46701000001", "method": "password",
            "password": SelfServiceServer.password,
        ])
        try await finish(visitor)
    }

    @Test(arguments: [true, false])
    func `after a sign-up whose address is verified, or not now`(isVerified: Bool) async throws {
        let server = try await ProviderServer { $0.registration.sendsVerification = true }
        let shop = try await server.client()
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address(["prompt": "create", "state": Self.state]))
        try await visitor.submit([
            "traits.email": Self.mail, "traits.phone": "+46701000001", "method": "password",
            "password": SelfServiceServer.password,
        ])
        #expect(visitor.path == "/verification", "\(visitor.summary)")
        if isVerified {
            let code = try await server.people.inbox.code(for: "+46701000001").exposed
            try await visitor.submit(["code": code, "method": "code"])
        } else {
            let link = visitor.text.firstMatch(of: #/href="([^"]*\/oauth2\/auth\/continue[^"]*)"/#)
            try await visitor.open(String(try #require(link?.output.1)).replacing("&amp;", with: "&"))
        }
        try await finish(visitor, at: shop)
    }

    /// The pages on which a user enters a code within a request.
    enum CodePage: CaseIterable {
        case login, signUp, recovery, verification
    }

    /// Returns a browser on a page for a code, and the address that the code was sent to.
    private func begin(_ page: CodePage, at server: ProviderServer) async throws -> (PageVisitor, String) {
        let shop = try await server.client()
        let visitor = PageVisitor(server.people)
        let isNew = page == .signUp || page == .verification
        if !isNew {
            _ = try await server.signedUp()
            await server.people.messagesAreSent()
        }
        try await visitor.open(
            shop.address(["state": Self.state, "prompt": isNew ? "create" : nil])
        )
        switch page {
        case .login: try await visitor.submit(["identifier": Self.mail, "method": "code"])
        case .signUp:
            try await visitor.submit([
                "traits.email": Self.mail, "traits.phone": Self.phone, "method": "code",
            ])
        case .verification:
            try await visitor.submit([
                "traits.email": Self.mail, "traits.phone": Self.phone, "method": "password",
                "password": SelfServiceServer.password,
            ])
        case .recovery:
            let link = try #require(visitor.text.firstMatch(of: #/href="([^"]*\/recovery[^"]*)"/#)?.output.1)
            try await visitor.open(String(link).replacing("&amp;", with: "&"))
            try await visitor.submit(["email": Self.mail, "method": "code"])
        }
        #expect(visitor.field("code") != nil, "\(visitor.summary)")
        await server.people.messagesAreSent()
        return (visitor, page == .verification ? Self.phone : Self.mail)
    }

    /// Presses the button of a page that sends another code.
    private func askForAnotherCode(_ visitor: PageVisitor, at server: ProviderServer) async throws {
        let button = #/<button[^>]*name="(resend|email)"[^>]*value="([^"]*)"/#
        let found = try #require(visitor.text.firstMatch(of: button), "\(visitor.summary)")
        try await visitor.submit([String(found.output.1): String(found.output.2)])
        #expect(visitor.field("code") != nil, "\(visitor.summary)")
        await server.people.messagesAreSent()
    }

    /// Enters a code, and ends at the client.
    private func finish(
        _ visitor: PageVisitor,
        on page: CodePage,
        with code: String,
        at server: ProviderServer
    ) async throws {
        try await visitor.submit(["code": code, "method": "code"])
        if page == .recovery {
            #expect(visitor.path == "/settings", "\(visitor.summary)")
            try await visitor.submit(["password": "another correct horse", "method": "password"])
        }
        try await finish(visitor, at: shop.connected(to: server))
    }

    @Test(arguments: CodePage.allCases)
    func `after another code, which replaces the first one`(_ page: CodePage) async throws {
        let server = try await Self.server(for: page)
        let (visitor, address) = try await begin(page, at: server)
        let first = try await server.people.inbox.code(for: address).exposed
        server.time.advance(by: .seconds(100))
        try await askForAnotherCode(visitor, at: server)
        let second = try await server.people.inbox.code(for: address).exposed
        #expect(second != first)
        try await finish(visitor, on: page, with: second, at: server)
    }

    @Test(arguments: CodePage.allCases)
    func `after a code that has expired`(_ page: CodePage) async throws {
        let server = try await Self.server(for: page)
        let (visitor, address) = try await begin(page, at: server)
        let first = try await server.people.inbox.code(for: address).exposed
        server.time.advance(by: server.people.configuration.codes.lifespan + .seconds(1))
        try await visitor.submit(["code": first, "method": "code"])
        #expect(shop.parameters(of: visitor) == nil)
        try await askForAnotherCode(visitor, at: server)
        let second = try await server.people.inbox.code(for: address).exposed
        try await finish(visitor, on: page, with: second, at: server)
    }

    /// Returns a server with a page for a code.
    private static func server(for page: CodePage) async throws -> ProviderServer {
        try await ProviderServer {
            $0.codes.isLoginEnabled = true
            // Codes expire before the page on which they are entered.
            $0.codes.lifespan = .seconds(120)
            $0.registration.sendsVerification = page == .verification
        }
    }

    @Test func `after the back button, which shows an old form`() async throws {
        let visitor = try await begin()
        let old = PageVisitor(copying: visitor)
        try await visitor.submit(Self.credentials.merging(["password": "wrong password"]) { $1 })
        try await old.submit(Self.credentials)
        try await finish(old)
    }

    @Test func `after a recovery`() async throws {
        let visitor = try await begin()
        let link = try #require(visitor.text.firstMatch(of: #/href="([^"]*\/recovery[^"]*)"/#)?.output.1)
        try await visitor.open(String(link).replacing("&amp;", with: "&"))
        #expect(visitor.path == "/recovery")
        try await visitor.submit(["email": Self.mail, "method": "code"])
        let code = try await server.people.inbox.code(for: Self.mail).exposed
        try await visitor.submit(["code": code, "method": "code"])
        #expect(visitor.path == "/settings")
        try await visitor.submit(["password": "another correct horse", "method": "password"])
        try await finish(visitor)
    }

    @Test func `after the login page has expired`() async throws {
        let visitor = try await begin()
        // The first form makes the request last for an hour.
        try await visitor.submit(Self.credentials.merging(["password": "wrong password"]) { $1 })
        server.time.advance(by: server.people.configuration.flows.lifespan + .seconds(1))
        try await visitor.submit(Self.credentials)
        #expect(visitor.path == "/login")
        try await visitor.submit(Self.credentials)
        try await finish(visitor)
    }

    @Test func `after a re-authentication`() async throws {
        let visitor = try await server.signedUp()
        server.time.advance(by: .seconds(60))
        try await visitor.open(shop.address(["prompt": "login", "state": Self.state]))
        #expect(visitor.path == "/login")
        try await visitor.submit(Self.credentials)
        try await finish(visitor)
    }

    @Test func `after a login that is too old for the client`() async throws {
        let visitor = try await server.signedUp()
        server.time.advance(by: .seconds(60))
        try await visitor.open(shop.address(["max_age": "59", "state": Self.state]))
        #expect(visitor.path == "/login")
        try await visitor.submit(Self.credentials)
        try await finish(visitor)
    }

    @Test func `after the use of another account`() async throws {
        _ = try await server.signedUp(2)
        let visitor = try await begin()
        try await visitor.submit(Self.credentials)
        #expect(visitor.path == "/consent")
        #expect(visitor.text.contains("+46701000001"))
        try await visitor.submit(["decision": "switch_account"])
        #expect(visitor.path == "/login")
        try await visitor.submit(Self.credentials.merging(["identifier": "person2@example.org"]) { $1 })
        #expect(visitor.path == "/consent")
        #expect(visitor.text.contains("+46701000002"))
        try await finish(visitor)
    }

    @Test func `after a choice of account`() async throws {
        let visitor = try await server.signedUp()
        server.time.advance(by: .seconds(60))
        try await visitor.open(shop.address(["prompt": "select_account", "state": Self.state]))
        #expect(visitor.path == "/consent")
        #expect(visitor.text.contains("+46701000001"))
        try await visitor.submit(["decision": "approve"])
        #expect(visitor.path == "/consent")
        try await finish(visitor)
    }

    @Test func `in two tabs, with one login`() async throws {
        let first = try await begin()
        let second = PageVisitor(sharing: first)
        try await second.open(shop.address(["state": Self.state]))
        #expect(second.path == "/login")
        try await first.submit(Self.credentials)
        try await finish(first)
        // The second tab needs no second login.
        try await second.submit(Self.credentials)
        try await finish(second)
    }

    @Test func `after a login that is submitted twice`() async throws {
        let first = try await begin()
        let second = PageVisitor(copying: first)
        try await first.submit(Self.credentials)
        try await second.submit(Self.credentials)
        try await finish(second)
    }

    @Test func `after a consent that is submitted twice`() async throws {
        let first = try await begin()
        try await first.submit(Self.credentials)
        let second = PageVisitor(copying: first)
        try await first.submit(["decision": "approve"])
        try await second.submit(["decision": "approve"])
        // Browsers follow only the second response, and the first code is no longer valid.
        let code = try #require(shop.parameters(of: first)?["code"])
        #expect(await shop.redeem(code).oauthError == "invalid_grant")
        try await finish(second)
    }

    @Test func `after a restart of the server, and on another node`() async throws {
        let visitor = try await begin()
        let other = try await server.another()
        let there = PageVisitor(copying: visitor, to: other.people)
        try await there.submit(Self.credentials)
        #expect(there.path == "/consent")
        try await there.submit(["decision": "approve"])
        try await finish(there, at: shop.connected(to: other))
    }

    @Test func `or the page names the reason and leads back to the client`() async throws {
        let visitor = try await begin()
        server.time.advance(by: AuthorizationRequestRepository.lifespan + .seconds(1))
        let challenge = try #require(
            try await server.database.rows("SELECT id FROM authorization_requests").first?.identifier(0)
        )
        try await visitor.open(Route.authorizationContinuation + "?login_challenge=\(challenge)")
        #expect(visitor.response.status == 410)
        #expect(visitor.text.contains("https://shop.example.com"))
        #expect(visitor.text.contains("The Shop"))
    }

    @Test func `or the user cancels, and the client learns it`() async throws {
        let visitor = try await begin()
        let action = try #require(visitor.text.firstMatch(of: #/formaction="([^"]*)"/#)?.output.1)
        try await visitor.submit([:], to: String(action).replacing("&amp;", with: "&"))
        let parameters = try #require(shop.parameters(of: visitor))
        #expect(parameters["error"] == "access_denied")
        #expect(parameters["state"] == Self.state)
    }
}
