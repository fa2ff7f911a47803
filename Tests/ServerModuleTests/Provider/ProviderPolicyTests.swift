import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// Rules of the provider against attackers, each with the honest user who must not be locked out.
@Suite("Policy of the provider", .onEachDatabase)
struct ProviderPolicyTests {
    private static let mail = "person1@example.org"
    private static let credentials = [
        "identifier": mail, "password": SelfServiceServer.password, "method": "password",
    ]

    private let server: ProviderServer
    private let shop: RelyingParty

    init() async throws {
        server = try await ProviderServer()
        shop = try await server.client()
    }

    private func challenge() async throws -> Identifier {
        let rows = try await server.database.rows("SELECT id FROM authorization_requests")
        return try #require(try rows.first?.identifier(0))
    }

    @Test func `A question of one browser can't be read or answered in another, which says to start again`()
        async throws
    {
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address())
        #expect(visitor.isQuestion)
        let other = try await server.signedUp(2)
        try await other.open("/consent?login_challenge=\(try await challenge())")
        #expect(other.response.status == 403)
        #expect(other.text.contains("another browser"), "\(other.summary)")
        #expect(!other.text.contains("The Shop"))
        let copy = PageVisitor(copying: visitor, to: server.people)
        copy.browser.cookies = other.browser.cookies
        try await copy.submit(["decision": "approve"])
        #expect(copy.response.status == 403)
        #expect(try await server.count("grants") == 0)
        try await visitor.submit(["decision": "approve"])
        _ = try shop.code(of: visitor)
    }

    @Test func `An answer for another account is ignored, and the question names the new one`() async throws {
        _ = try await server.signedUp(2)
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address())
        let tab = PageVisitor(sharing: visitor)
        try await tab.open(shop.address())
        try await tab.submit(["decision": "switch_account"])
        try await tab.submit(Self.credentials.merging(["identifier": "person2@example.org"]) { $1 })
        #expect(visitor.text.contains("+46701000001"))
        try await visitor.submit(["decision": "approve"])
        #expect(visitor.isQuestion, "\(visitor.summary)")
        #expect(visitor.text.contains("+46701000002"))
        #expect(try await server.count("grants") == 0)
        // The account of the page counts, and not only its browser.
        try await visitor.submit(["decision": "approve", "account": Identifier().description])
        #expect(visitor.isQuestion, "\(visitor.summary)")
        #expect(try await server.count("grants") == 0)
        try await visitor.submit(["decision": "approve"])
        let tokens = await shop.redeem(try shop.code(of: visitor))
        let second = try await server.people.holder(of: "person2@example.org")
        #expect(tokens.idClaims["sub"]?.text == second?.description)
    }

    @Test func `A refusal from before a login in another tab leads to no client`() async throws {
        let visitor = try await server.signedUp()
        _ = try await shop.authorize(visitor)
        let asking: [String: String?] = ["prompt": "consent"]
        try await visitor.open(shop.address(asking))
        let tab = PageVisitor(sharing: visitor)
        try await tab.open(shop.address(asking))
        try await tab.submit(["decision": "switch_account"])
        _ = try await server.signedUp(2)
        try await tab.submit(Self.credentials.merging(["identifier": "person2@example.org"]) { $1 })
        try await visitor.submit(["decision": "refuse"])
        #expect(visitor.response.status == 403)
        #expect(visitor.location == nil)
    }

    @Test func `A refusal is repeated for a minute, and its question isn't asked again`() async throws {
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address())
        let (second, late) = (PageVisitor(copying: visitor), PageVisitor(copying: visitor))
        let question = "/consent?login_challenge=\(try await challenge())"
        try await visitor.submit(["decision": "refuse"])
        #expect(shop.parameters(of: visitor)?["error"] == "access_denied")
        server.time.advance(by: .seconds(59))
        try await second.submit(["decision": "refuse"])
        #expect(shop.parameters(of: second)?["error"] == "access_denied")
        try await second.open(question)
        #expect(shop.parameters(of: second)?["error"] == "access_denied")
        server.time.advance(by: .seconds(1))
        try await late.submit(["decision": "refuse"])
        #expect(late.location == nil, "\(late.summary)")
    }

    @Test func `A refusal after the approval leads to no client, which keeps its code`() async throws {
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address())
        let second = PageVisitor(copying: visitor)
        try await visitor.submit(["decision": "approve"])
        try await second.submit(["decision": "refuse"])
        #expect(second.location == nil, "\(second.summary)")
        #expect(await shop.redeem(try shop.code(of: visitor)).status == 200)
    }

    @Test func `An approval that is sent again after the code was used leads to no client`() async throws {
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address())
        let second = PageVisitor(copying: visitor)
        try await visitor.submit(["decision": "approve"])
        let code = try shop.code(of: visitor)
        let tokens = await shop.redeem(code)
        try await second.submit(["decision": "approve"])
        #expect(second.location == nil, "\(second.summary)")
        // The server still knows that the code was used.
        _ = await shop.redeem(code)
        #expect(await shop.userInfo(tokens.accessToken).status == 401)
    }

    @Test func `An answer isn't repeated for another user of the browser`() async throws {
        _ = try await server.signedUp(2)
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address())
        let address = Route.authorizationContinuation + "?login_challenge=\(try await challenge())"
        try await visitor.submit(["decision": "approve"])
        let code = try shop.code(of: visitor)
        let tab = PageVisitor(sharing: visitor)
        try await tab.open(shop.address(["prompt": "consent"]))
        try await tab.submit(["decision": "switch_account"])
        try await tab.submit(Self.credentials.merging(["identifier": "person2@example.org"]) { $1 })
        #expect(tab.text.contains("+46701000002"))
        try await tab.open(address)
        #expect(tab.location == nil, "\(tab.summary)")
        #expect(await shop.redeem(code).status == 200)
    }

    @Test func `A choice of an account that isn't logged in is ignored`() async throws {
        _ = try await server.signedUp(2)
        let other = try #require(try await server.people.holder(of: "person2@example.org"))
        let visitor = try await server.signedUp()
        server.time.advance(by: .seconds(60))
        try await visitor.open(shop.address(["prompt": "select_account"]))
        #expect(visitor.isQuestion)
        try await visitor.submit(["decision": "approve", "account": other.description])
        #expect(visitor.isQuestion, "\(visitor.summary)")
        #expect(visitor.text.contains("+46701000001"))
        let chosen = try await server.count("authorization_requests", where: "chosen_identity_id IS NOT NULL")
        #expect(chosen == 0)
    }

    @Test func `A login starts only for an open request of its browser`() async throws {
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address())
        let query = "?login_challenge=\(try await challenge())"
        let address = FlowKind.login.startPath(for: .browser) + query
        let stranger = TestBrowser(server.people, as: .json)
        _ = try await stranger.start(.login)
        #expect(await stranger.get(address).errorID == .loginChallengeInvalid)
        let browser = TestBrowser(server.people, as: .json, cookies: visitor.browser.cookies)
        server.time.advance(by: AuthorizationRequestRepository.lifespan - .seconds(1))
        #expect(await browser.get(address).status == 200)
        server.time.advance(by: .seconds(1))
        #expect(await browser.get(address).errorID == .loginChallengeInvalid)
    }

    @Test func `An app's redirect needs a click each time, unless the login page has named the app`()
        async throws
    {
        let app = try await server.client(
            "app",
            secret: nil,
            redirect: "com.example.app:/callback",
            own: #""first_party": true"#,
            #""application_type": "native", "skip_consent": true"#
        )
        let visitor = try await server.signedUp()
        server.time.advance(by: .seconds(60))
        for _ in 0..<2 {
            try await visitor.open(app.address())
            #expect(visitor.isQuestion)
            #expect(app.parameters(of: visitor) == nil)
            try await visitor.submit(["decision": "approve"])
            // The page asks for no scopes, so none is left out.
            let tokens = await app.redeem(try app.code(of: visitor))
            #expect(tokens["scope"] == .string(app.scope))
        }
        try await visitor.open(app.address(["prompt": "none"]))
        #expect(app.parameters(of: visitor)?["error"] == "interaction_required")
        let another = PageVisitor(server.people)
        try await another.open(app.address())
        #expect(another.text.contains("The Shop"))
        try await another.submit(Self.credentials)
        _ = try app.code(of: another)
        // Without the secret, another app with the same redirect URI can't redeem the code.
        let confidential = try await server.client(
            "confidential",
            redirect: "com.example.app:/callback",
            own: #""first_party": true"#,
            #""application_type": "native", "skip_consent": true"#
        )
        try await visitor.open(confidential.address())
        _ = try confidential.code(of: visitor)
    }

    @Test func `A frame gets no page, and its client renews tokens without cookies`() async throws {
        let visitor = try await server.signedUp()
        let tokens = try await shop.tokens(of: visitor)
        // A frame of another site sends no cookies.
        let frame = PageVisitor(server.people)
        try await frame.open(shop.address(["prompt": "none"]))
        #expect(shop.parameters(of: frame)?["error"] == "login_required")
        try await visitor.open(shop.address(["prompt": "none"]))
        _ = try shop.code(of: visitor)
        try await visitor.open(shop.address(["prompt": "none", "scope": "openid phone"]))
        #expect(await shop.refresh(try #require(tokens.refreshToken)).status == 200)
    }

    @Test func `An address is verified at clients after its user has entered a code in the account`()
        async throws
    {
        let visitor = try await server.signedUp()
        let tokens = try await shop.tokens(of: visitor)
        #expect(tokens.idClaims["email_verified"] == false)
        let form = try await visitor.browser.start(.verification)
        let sent = try await visitor.browser.shown(
            try await visitor.browser.submit(form, ["method": "code", "email": Self.mail])
        )
        let code = try await server.people.inbox.code(for: Self.mail).exposed
        _ = try await visitor.browser.submit(sent, ["method": "code", "code": code])
        let info = await shop.userInfo(tokens.accessToken)
        #expect(info["email_verified"] == true, "\(info.body)")
        let refreshed = await shop.refresh(try #require(tokens.refreshToken))
        #expect(refreshed.idClaims["email_verified"] == true)
    }

    @Test func `The oldest of too many consents is asked for again`() async throws {
        let visitor = try await server.signedUp()
        _ = try await shop.authorize(visitor)
        try await visitor.open(shop.address())
        #expect(!visitor.isQuestion)
        let identity = try #require(try await server.people.holder(of: Self.mail))
        let now = server.time.now
        try await server.database.transaction { transaction in
            let session = try transaction.rows("SELECT id FROM sessions")[0].identifier(0)
            for number in 1...ConsentRepository.mostPerAccount {
                try ConsentRepository.save(
                    ["openid"],
                    of: ["openid"],
                    for: "client-\(number)",
                    by: identity,
                    in: session,
                    at: now + .seconds(number),
                    in: transaction
                )
            }
        }
        #expect(try await server.count("consents") == ConsentRepository.mostPerAccount)
        try await visitor.open(shop.address())
        #expect(visitor.isQuestion)
    }

    @Test func `A copied code is recorded, and so is a code that its client redeems twice`() async throws {
        let visitor = try await server.signedUp()
        let code = try await shop.authorize(visitor)
        let identity = try #require(try await server.people.holder(of: Self.mail))
        _ = await shop.redeem(code)
        _ = await shop.redeem(code, with: ["code_verifier": String(repeating: "v", count: 43)])
        #expect(try await server.people.actions(of: identity).filter { $0 == .codeRefused }.count == 1)
        #expect(try await !server.people.actions(of: identity).contains(.grantReused))
        _ = await shop.redeem(code)
        #expect(try await server.people.actions(of: identity).filter { $0 == .codeRefused }.count == 1)
        _ = await shop.redeem(code)
        #expect(try await server.people.actions(of: identity).filter { $0 == .grantReused }.count == 1)
    }
}
