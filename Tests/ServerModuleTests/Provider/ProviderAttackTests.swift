import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// Attacks on the clients and users of the provider.
@Suite("Attacks on logins at clients", .onEachDatabase)
struct ProviderAttackTests {
    private static let mail = "person1@example.org"

    private let server: ProviderServer
    private let shop: RelyingParty

    init() async throws {
        server = try await ProviderServer()
        shop = try await server.client()
    }

    // MARK: Mix-up

    /// The values of a parameter in the address to which a response leads.
    private func values(_ name: String, in address: String?) -> [String] {
        let texts = QueryItems(String((address ?? "").drop { $0 != "?" }.dropFirst())).texts
        return stride(from: 0, to: texts.count, by: 2).filter { texts[$0] == name }.map { texts[$0 + 1] }
    }

    @Test func `Each answer to a client names the issuer and the state, once`() async throws {
        let own: [String: String?] = ["state": "iss=https://evil.example&state=x", "prompt": "consent"]
        let visitor = try await server.signedUp()
        var answers: [(String, String?)] = []
        for decision in ["approve", "refuse"] {
            try await visitor.open(shop.address(own))
            try await visitor.submit(["decision": decision])
            answers.append((decision, visitor.location))
        }
        let stranger = PageVisitor(server.people)
        try await stranger.open(shop.address(own))
        let cancel = try #require(stranger.text.firstMatch(of: #/formaction="([^"]*)"/#)?.output.1)
        try await stranger.submit([:], to: String(cancel).replacing("&amp;", with: "&"))
        answers.append(("cancel", stranger.location))
        try await stranger.open(shop.address(own.merging(["prompt": "none"]) { $1 }))
        answers.append(("prompt=none", stranger.location))
        try await stranger.open(shop.address(own.merging(["response_type": "token"]) { $1 }))
        answers.append(("invalid request", stranger.location))
        for (name, address) in answers {
            #expect(values("iss", in: address) == [ProviderServer.issuer], "\(name): \(address ?? "")")
            #expect(values("state", in: address) == ["iss=https://evil.example&state=x"], "\(name)")
            let outcomes = values("code", in: address) + values("error", in: address)
            #expect(outcomes.count == 1, "\(name)")
        }
    }

    @Test func `The codes and tokens of one issuer are unknown to another`() async throws {
        let evil = try await ProviderServer()
        let there = try await evil.client().connected(to: evil)
        let visitor = try await server.signedUp()
        let code = try await shop.authorize(visitor)
        #expect(await there.redeem(code).oauthError == "invalid_grant")
        let tokens = await shop.redeem(code)
        #expect(tokens.status == 200)
        #expect(await there.userInfo(tokens.accessToken).status == 401)
        #expect(await there.refresh(try #require(tokens.refreshToken)).oauthError == "invalid_grant")
        #expect(await shop.userInfo(tokens.accessToken).status == 200)
    }

    // MARK: Guessing

    @Test(arguments: [Route.token, Route.pushedRequests, Route.revocation])
    func `Guesses of a client's secret lock out their own network only`(_ path: String) async throws {
        let server = try await ProviderServer {
            $0.limits.failuresPerClient = LimitSettings().failuresPerClient
        }
        let shop = try await server.client()
        let visitor = try await server.signedUp()
        let token = try #require(try await shop.tokens(of: visitor).refreshToken)
        func status(_ secret: String, from host: String, at path: String) async -> Int {
            let fields = ["client_secret": secret, "grant_type": "refresh_token", "token": "unknown"]
            return await shop.send(fields, to: path, from: host).status
        }
        for _ in 0..<20 {
            #expect(await status("lk_cs_guess", from: "198.51.100.7", at: path) == 401)
        }
        // All routes count the same failures.
        for other in [Route.token, Route.pushedRequests, Route.revocation] {
            let refused = await shop.send(
                ["client_secret": "lk_cs_guess"],
                to: other,
                from: "198.51.100.7"
            )
            #expect(refused.status == 429, "\(other)")
            #expect(refused.response.headers["Retry-After"] != nil, "\(other)")
            #expect(await status("lk_cs_guess", from: "203.0.113.9", at: other) == 401, "\(other)")
        }
        let answer = await shop.refresh(token)
        #expect(answer.status == 200, "\(answer.body)")
        let next = try #require(answer.refreshToken)
        let pushed = await shop.send(shop.parameters, to: Route.pushedRequests, from: "203.0.113.9")
        #expect(pushed.status == 201)
        #expect(await shop.send(["token": next], to: Route.revocation).status == 200)
        #expect(await shop.refresh(next).oauthError == "invalid_grant")
    }

    // MARK: Claimed addresses

    @Test func `A victim who confirms an attacker's sign-up at a client gives away nothing`() async throws {
        let server = try await ProviderServer {
            $0.registration.sendsVerification = true
            $0.codes.isLoginEnabled = true
        }
        let shop = try await server.client()
        let attacker = PageVisitor(server.people)
        try await attacker.open(shop.address(["prompt": "create"]))
        try await attacker.submit([
            "traits.email": Self.mail, "traits.phone": "+46701000001", "method": "password",
            "password": SelfServiceServer.password,
        ])
        let skip = attacker.text.firstMatch(of: #/href="([^"]*\/oauth2\/auth\/continue[^"]*)"/#)
        try await attacker.open(String(try #require(skip?.output.1)).replacing("&amp;", with: "&"))
        if attacker.isQuestion { try await attacker.submit(["decision": "approve"]) }
        let tokens = await shop.redeem(try shop.code(of: attacker))
        #expect(tokens.idClaims["email_verified"] == .bool(false))

        // The victim presses the button behind the link in the mail.
        _ = try await server.people.inbox.code(for: Self.mail)
        let message = try #require(server.people.inbox.messages(for: Self.mail).last)
        let link = String(try #require(message.body.exposed.firstMatch(of: #/https:\S+/#)).output)
        let sessions = try await server.count("sessions")
        let victim = PageVisitor(server.people)
        try await victim.open(link)
        #expect(victim.path == "/verification", "\(victim.summary)")
        try await victim.submit(["method": "code"])
        #expect(try await server.people.provers(of: Self.mail).count == 1)
        #expect(!victim.browser.isLoggedIn)
        #expect(try await server.count("sessions") == sessions)
        let refreshed = await shop.refresh(try #require(tokens.refreshToken))
        #expect(refreshed.idClaims["email"] == .string(Self.mail))
        #expect(refreshed.idClaims["email_verified"] == .bool(false))
        #expect(await shop.userInfo(refreshed.accessToken)["email_verified"] == .bool(false))

        // The first login with a code makes the account the victim's.
        server.time.advance(by: .seconds(61))
        try await victim.open(shop.address())
        try await victim.submit(["identifier": Self.mail, "method": "code"])
        let code = try await server.people.inbox.code(for: Self.mail).exposed
        try await victim.submit(["code": code, "method": "code"])
        // The attacker's consent is forgotten as well.
        #expect(victim.isQuestion, "\(victim.summary)")
        try await victim.submit(["decision": "approve"])
        let own = await shop.redeem(try shop.code(of: victim))
        #expect(own.idClaims["email_verified"] == .bool(true), "\(own.body)")
        #expect(await shop.userInfo(own.accessToken)["email_verified"] == .bool(true))
        #expect(await shop.userInfo(refreshed.accessToken).status == 401)
        let refresh = try #require(refreshed.refreshToken)
        #expect(await shop.refresh(refresh).oauthError == "invalid_grant")
        #expect(await attacker.browser.get("/sessions/whoami").status == 401)
    }

    // MARK: Requests of others

    /// Requests that a browser can't continue.
    private enum Foreign: CaseIterable {
        case unknown, malformed, missing, ofOtherBrowser, withoutCookie, answered, expired
    }

    @Test(arguments: Foreign.allCases)
    private func `A request that isn't the browser's leads to no client, and doesn't change`(
        _ foreign: Foreign
    ) async throws {
        let visitor = try await server.signedUp()
        let attacker = try await server.signedUp(2)
        let owner = foreign == .ofOtherBrowser ? attacker : visitor
        try await owner.open(shop.address())
        #expect(owner.isQuestion)
        let (action, fields) = try owner.form(with: ["decision": "approve"])
        var challenge = try #require(owner.field("login_challenge"))
        // The victim's own form has a valid token, so the challenge is the only thing that is wrong.
        try await visitor.open(shop.address())
        let token = try #require(visitor.field("csrf_token"))
        let account = try #require(visitor.field("account"))
        switch foreign {
        case .unknown: challenge = Identifier().description
        case .malformed: challenge = "x"
        case .missing: challenge = ""
        case .ofOtherBrowser: break
        case .withoutCookie: visitor.browser.cookies[TestBrowser.csrfCookie] = nil
        case .answered:
            let answer = await owner.browser.post(action, form: fields)
            #expect(shop.code(in: answer) != nil)
            server.time.advance(by: .seconds(60))
        case .expired: server.time.advance(by: AuthorizationRequestRepository.lifespan)
        }
        let before = try await server.state()
        let url = SelfServiceServer.url
        let query = "?login_challenge=" + challenge
        let form = [
            ("login_challenge", challenge), ("csrf_token", token), ("account", account),
            ("decision", "approve"),
        ]
        let answers = [
            await visitor.browser.get(url + Route.authorizationContinuation + query),
            await visitor.browser.get(url + "/consent" + query),
            await visitor.browser.post(url + Route.authorizationRefusal + query, form: form),
            await visitor.browser.post(url + "/consent", form: form),
        ]
        for answer in answers {
            #expect(answer.location?.hasPrefix(ProviderServer.callback) != true, "\(answer.location ?? "")")
            #expect((400..<500).contains(answer.status) || answer.errorPage != nil, "\(answer.status)")
        }
        #expect(try await server.state() == before)
    }

    // MARK: Cookies

    @Test func `Cookies that another host has planted don't log a user in as the attacker`() async throws {
        let attacker = try await server.signedUp(2)
        let session = try #require(attacker.browser.cookies[TestBrowser.sessionCookie])
        let own = try await server.signedUp()
        let victim = try #require(own.browser.cookies[TestBrowser.sessionCookie])
        let name = TestBrowser.sessionCookie
        for cookies in ["\(name)=\(session); \(name)=\(victim)", "\(name)=\(victim); \(name)=\(session)"] {
            let browser = TestBrowser(server.people)
            let answer = await browser.get(
                SelfServiceServer.url + shop.address(),
                headers: ["Cookie": cookies]
            )
            // Neither session is used.
            #expect(answer.location?.contains("/self-service/login/browser") == true, "\(answer.status)")
        }
        #expect(try await server.count("grants") == 0)
    }

    @Test func `A planted CSRF cookie doesn't make a victim consent to an attacker's request`() async throws {
        let attacker = try await server.signedUp(2)
        try await attacker.open(shop.address())
        let (action, fields) = try attacker.form(with: ["decision": "approve"])
        let victim = try await server.signedUp()
        let secret = attacker.browser.cookies[TestBrowser.csrfCookie]
        victim.browser.cookies[TestBrowser.csrfCookie] = secret
        let crossSite: [HTTP.Headers] = [
            ["Origin": "https://evil.example"], ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"],
        ]
        for headers in crossSite {
            let answer = try await victim.browser.post(
                action,
                Dictionary(fields) { first, _ in first },
                headers: headers
            )
            #expect(answer.errorPage != nil || answer.status == 403, "\(headers) \(answer.status)")
        }
        // A sibling host isn't cross-site. The form names the attacker's account, so the page asks again.
        let answer = await victim.browser.post(action, form: fields)
        #expect(answer.location?.hasPrefix(SelfServiceServer.url + "/consent") == true, "\(answer.status)")
        #expect(try await server.count("grants") == 0)
        #expect(try await server.count("consents") == 0)
    }
}

extension RelyingParty {
    /// The parameters of an authorization request.
    var parameters: [String: String?] {
        let texts = QueryItems(String(address().dropFirst(Route.authorization.count + 1))).texts
        return Dictionary(
            stride(from: 0, to: texts.count, by: 2).map { (texts[$0], texts[$0 + 1]) },
            uniquingKeysWith: { $1 }
        )
    }
}

extension ProviderServer {
    /// The rows that a request of a browser can change, as text.
    func state() async throws -> [String] {
        let requests = try await database.rows(
            """
            SELECT id, expires_at, is_extended, answered_at, grant_id, chosen_identity_id, session_id, binding \
            FROM authorization_requests ORDER BY id
            """
        )
        let grants = try await database.rows("SELECT id, redeemed_at, ended_at FROM grants ORDER BY id")
        var counts: [String] = []
        for table in ["consents", "sessions", "flows", "codes", "messages"] as [SQL] {
            counts.append("\(try await count(table))")
        }
        return (requests + grants).map { "\($0)" } + counts
    }
}
