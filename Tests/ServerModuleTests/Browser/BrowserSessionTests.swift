import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeySelfService

/// Cookies, sessions, logout and errors of browsers.
@Suite("Browsers have sessions and log out", .onEachDatabase)
struct BrowserSessionTests {
    private static let app = "https://app.example.com/in"

    private let server: SelfServiceServer

    init() async throws {
        server = try await SelfServiceServer { $0.flows.returnURLs = [Self.app] }
    }

    // MARK: Cookies

    @Test func `The cookies of a login have the attributes that protect them`() async throws {
        let browser = TestBrowser(server)
        let start = await browser.get("/self-service/registration/browser")
        #expect(
            browser.lastFields.first?.hasSuffix("; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure")
                == true
        )
        #expect(start.status == 303)
        try await browser.register()
        let fields = browser.lastFields
        let session = try #require(fields.first { $0.hasPrefix("__Host-latchkey_session=lk_bs_") })
        #expect(session.hasSuffix("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure"))
        #expect(fields.count == 2)
    }

    @Test func `Over HTTP and with a domain, the names and the attributes differ`() async throws {
        let server = try await SelfServiceServer {
            $0.cookies.domain = "example.com"
            $0.sessions.isBrowserPersistent = false
            $0.sessions.browserLifespan = .seconds(3600)
        }
        let browser = TestBrowser(server)
        try await browser.register()
        let session = try #require(browser.lastFields.first { $0.hasPrefix("ory_kratos_session=lk_bs_") })
        #expect(session.hasSuffix("; Path=/; Domain=example.com; HttpOnly; SameSite=Lax; Secure"))
        #expect(browser.lastFields.contains { $0.hasPrefix("csrf_token_") })
        let whoami = await browser.get("/sessions/whoami")
        #expect(whoami["expires_at"]?.text == (server.time.now + .seconds(3600)).description)
    }

    @Test func `A cookie is no token, and a token is no cookie`() async throws {
        let token = try #require(try await server.register().sessionToken)
        let browser = TestBrowser(server)
        try await browser.login()
        let cookie = try #require(browser.cookies[TestBrowser.sessionCookie])
        #expect(await server.get("/sessions/whoami", token: cookie).status == 401)
        #expect(
            await server.get("/sessions/whoami", headers: ["Authorization": "Bearer \(cookie)"]).status == 401
        )
        let stranger = TestBrowser(server, cookies: [TestBrowser.sessionCookie: token])
        #expect(await stranger.get("/sessions/whoami").status == 401)
        #expect(try await server.logOut(cookie).status == 403)
        #expect(await browser.get("/sessions/whoami").status == 200)
    }

    @Test(arguments: ["", "lk_bs_", "x", "lk_bs_abcdefghijklmnopqrstuvwxyzABCDEF"])
    func `A wrong session cookie is no session`(value: String) async throws {
        let browser = TestBrowser(server, cookies: [TestBrowser.sessionCookie: value])
        #expect(await browser.get("/sessions/whoami").status == 401)
        #expect(browser.lastFields.isEmpty)
    }

    @Test func `The header goes before the cookie, and the cookie before the bearer token`() async throws {
        let token = try #require(try await server.register().sessionToken)
        let browser = TestBrowser(server)
        try await browser.register(2)
        func email(_ headers: HTTP.Headers) async -> JSONValue? {
            await browser.get("/sessions/whoami", headers: headers)["identity"]?["traits"]?["email"]
        }
        #expect(await email(["X-Session-Token": token]) == "person1@example.org")
        #expect(browser.lastFields.isEmpty)
        #expect(await email(["X-Session-Token": "wrong"]) == nil)
        #expect(await email(["Authorization": "Bearer \(token)"]) == "person2@example.org")
        #expect(await email(["Authorization": "Bearer wrong"]) == "person2@example.org")
        browser.cookies[TestBrowser.sessionCookie] = "lk_bs_wrong"
        #expect(await email(["Authorization": "Bearer \(token)"]) == nil)
    }

    @Test func `No value that a client has planted before a login is valid after it`() async throws {
        try await server.register()
        let attacker = TestBrowser(server)
        _ = try await attacker.start(.login)
        let planted = [
            TestBrowser.csrfCookie: try #require(attacker.cookies[TestBrowser.csrfCookie]),
            TestBrowser.sessionCookie: "lk_bs_" + String(repeating: "a", count: 32),
        ]
        let victim = TestBrowser(server, cookies: planted)
        try await victim.login()
        #expect(victim.cookies[TestBrowser.csrfCookie] != planted[TestBrowser.csrfCookie])
        #expect(victim.cookies[TestBrowser.sessionCookie] != planted[TestBrowser.sessionCookie])
        #expect(await TestBrowser(server, cookies: planted).get("/sessions/whoami").status == 401)
    }

    // MARK: Other routes

    @Test func `Sessions and the account are managed with the cookie`() async throws {
        let token = try #require(try await server.register().sessionToken)
        let browser = TestBrowser(server, as: .json)
        try await browser.login()
        #expect(await browser.get("/sessions").body.elements.count == 1)
        let own = try #require(await browser.get("/sessions/whoami")["id"]?.text)
        #expect(await browser.get("/sessions/\(own)", method: .delete).status == 400)
        let ended = await browser.get("/sessions", method: .delete)
        #expect(ended["count"] == 1)
        #expect(await server.isAlive(token) == false)
        #expect(await browser.get("/account/export").status == 200)
    }

    @Test(
        arguments: [
            ["Origin": "https://evil.example"], ["Sec-Fetch-Site": "cross-site"],
        ] as [[String: String]]
    )
    func `Another site's page can't end sessions or delete the account`(
        fields: [String: String]
    ) async throws {
        let browser = TestBrowser(server, as: .json)
        try await browser.register()
        var headers = HTTP.Headers()
        for (name, value) in fields { headers[name] = value }
        for path in ["/sessions", "/sessions/\(Identifier())", "/account"] {
            let answer = await browser.get(path, headers: headers, method: .delete)
            #expect(answer.errorID == .csrfViolation)
        }
        #expect(await browser.get("/sessions/whoami", headers: headers).status == 200)
    }

    // MARK: Logout

    @Test(arguments: ResponseFormat.allCases)
    func `A logout ends the session and its cookies`(format: ResponseFormat) async throws {
        for (query, address) in [
            ("", SelfServiceServer.url + "/welcome"), ("?return_to=\(Self.app)", Self.app),
        ] {
            let browser = TestBrowser(
                try await SelfServiceServer { $0.flows.returnURLs = [Self.app] },
                as: format
            )
            try await browser.register()
            let before = browser.cookies
            let begun = await browser.get("/self-service/logout/browser" + query)
            #expect(begun.status == 200)
            #expect(begun["logout_token"]?.text?.hasPrefix("lk_lo_") == true)
            let url = try #require(begun["logout_url"]?.text)
            let looked = await browser.get(url, method: .head)
            #expect(looked.status == (format == .page ? 303 : 204))
            #expect(browser.cookies == before)
            let done = await browser.get(url)
            switch format {
            case .page: #expect(done.location == address)
            case .json: #expect(done.status == 204)
            }
            #expect(!browser.isLoggedIn)
            #expect(browser.cookies[TestBrowser.csrfCookie] != before[TestBrowser.csrfCookie])
            let old = TestBrowser(browser.server, cookies: before)
            #expect(await old.get("/sessions/whoami").status == 401)
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A logout that is refused changes nothing`(format: ResponseFormat) async throws {
        let browser = TestBrowser(server, as: format)
        try await browser.register()
        let other = TestBrowser(server, as: format)
        try await other.register(2)
        let token = try #require(
            await browser.get("/self-service/logout/browser")["logout_token"]?.text
        )
        let foreign = try #require(await other.get("/self-service/logout/browser")["logout_token"]?.text)
        let before = browser.cookies
        let rows: [(String, Int)] = [
            ("/self-service/logout", 400), ("/self-service/logout?token=", 400),
            ("/self-service/logout?token=\(foreign)", 403), ("/self-service/logout?token=lk_lo_x", 403),
            ("/self-service/logout?token=\(token)&return_to=https://evil.example", 400),
            ("/self-service/logout/browser?return_to=https://evil.example", 400),
        ]
        for (path, status) in rows {
            let answer = await browser.get(path)
            if format == .page { #expect(answer.errorPage != nil) } else { #expect(answer.status == status) }
            #expect(browser.cookies == before)
        }
        #expect(await browser.get("/sessions/whoami").status == 200)
        browser.cookies[TestBrowser.sessionCookie] = nil
        for path in ["/self-service/logout/browser", "/self-service/logout?token=\(token)"] {
            let answer = await browser.get(path)
            if format == .page {
                #expect(answer.errorPage != nil)
            } else {
                #expect(answer.errorID == .sessionInactive)
            }
        }
        #expect(await TestBrowser(server, cookies: before).get("/sessions/whoami").status == 200)
    }

    // MARK: Errors

    @Test func `An error is read by its id in any browser, and forged ids are unknown`() async throws {
        let browser = TestBrowser(server)
        let id = try #require(await browser.get("/self-service/login/browser?aal=aal9").errorPage)
        let error = await server.get("/self-service/errors?id=\(id)")
        #expect(error.status == 200)
        #expect(error["id"] == .string(id))
        #expect(error["error"]?["code"] == 400)
        #expect(error["created_at"]?.text?.isEmpty == false)
        var forged = Array(id)
        forged[0] = forged[0] == "0" ? "1" : "0"
        for unknown in [String(forged), Identifier().description, "", "x"] {
            #expect(await server.get("/self-service/errors?id=\(unknown)").status == 404)
        }
        #expect(await server.get("/self-service/errors").status == 404)
        let stub = await server.get("/self-service/errors?id=stub:500")
        #expect(stub.status == 200)
        #expect(stub["error"]?["code"] == 500)
    }
}
