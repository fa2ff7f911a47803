import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeySelfService

/// The server's own pages, as a browser without scripts uses them.
@Suite("Hosted pages", .onEachDatabase)
struct HostedPageTests {
    private static let app = "https://app.example.com/in"
    private static let mail = "person1@example.org"

    private let server: SelfServiceServer

    init() async throws {
        server = try await SelfServiceServer { $0.flows.returnURLs = [Self.app] }
    }

    // MARK: Journeys

    @Test func `A user signs up, logs out and logs in on pages alone`() async throws {
        let visitor = PageVisitor(server)
        try await visitor.open("/registration")
        #expect(visitor.title == "Create account")
        try await visitor.submit([
            "traits.email": Self.mail, "traits.phone": "+46701000001", "password": SelfServiceServer.password,
            "method": "password",
        ])
        #expect(visitor.path == "/welcome")
        #expect(visitor.text.contains("person1@example.org") || visitor.text.contains("+46701000001"))
        try await visitor.open("/logout")
        try await visitor.submit([:])
        #expect(visitor.title == "You are signed out")
        try await visitor.open("/login")
        try await visitor.submit([
            "identifier": Self.mail, "password": "wrong-password", "method": "password",
        ])
        #expect(visitor.title.hasPrefix("Your sign-in details are incorrect"))
        #expect(visitor.field("identifier") == Self.mail)
        try await visitor.submit([
            "identifier": Self.mail, "password": SelfServiceServer.password, "method": "password",
        ])
        #expect(visitor.path == "/welcome")
    }

    @Test func `A login on pages leads to where the user wanted to go`() async throws {
        try await server.register()
        let visitor = PageVisitor(server)
        try await visitor.open("/login?return_to=" + QueryItems.encode(Self.app))
        #expect(visitor.response.headers["Content-Security-Policy"]?.contains("form-action") == false)
        try await visitor.submit([
            "identifier": Self.mail, "password": SelfServiceServer.password, "method": "password",
        ])
        #expect(visitor.location == Self.app)
    }

    @Test func `A user recovers the account on pages and sets a password`() async throws {
        try await server.register()
        let visitor = PageVisitor(server)
        try await visitor.open("/recovery")
        try await visitor.submit(["email": Self.mail, "method": "code"])
        let code = try await server.inbox.code(for: Self.mail).exposed
        try await visitor.submit(["code": code, "method": "code"])
        #expect(visitor.path == "/settings")
        try await visitor.submit(["password": "another-Horse-8-battery", "method": "password"])
        #expect(visitor.text.contains("Your changes have been saved."))
        let next = TestBrowser(server)
        try await next.login(password: "another-Horse-8-battery")
        #expect(next.isLoggedIn)
    }

    @Test func `A mailed link shows a page with a button, and afterwards that the user can go back`()
        async throws
    {
        try await server.register()
        let own = TestBrowser(server)
        let form = try await own.start(.verification)
        try await own.submit(form, ["method": "code", "email": Self.mail])
        _ = try await server.inbox.code(for: Self.mail)
        let message = try #require(server.inbox.messages(for: Self.mail).last)
        let link = String(try #require(message.body.exposed.firstMatch(of: #/https:\S+/#)).output)
        let visitor = PageVisitor(server)
        try await visitor.open(link)
        #expect(visitor.path == "/verification")
        try await visitor.submit(["method": "code"])
        #expect(visitor.response.status == 200)
        #expect(visitor.field("code") == nil)
        #expect(visitor.text.contains("confirmed"))
        #expect(try await server.provers(of: Self.mail).count == 1)
    }

    // MARK: Flows

    @Test(arguments: [FlowKind.login, .registration, .recovery, .verification])
    func `A page without a flow starts one with the page's parameters`(kind: FlowKind) async throws {
        let browser = TestBrowser(server)
        let query = "?return_to=" + QueryItems.encode(Self.app)
        let first = await browser.get(SelfServiceServer.url + "/\(kind.rawValue)" + query)
        #expect(first.status == 303)
        #expect(first.location == SelfServiceServer.url + "/a" + kind.startPath(for: .browser) + query)
        #expect(browser.cookies.isEmpty)
        let second = await browser.get(try #require(first.location))
        let page = await browser.get(try #require(second.location))
        #expect(page.status == 200)
        #expect(page.response.headers["Content-Type"] == "text/html; charset=utf-8")
    }

    @Test func `A page of another browser's flow says what to do`() async throws {
        let browser = TestBrowser(server)
        let flow = try await browser.start(.login)
        let address = SelfServiceServer.url + "/login?flow=" + (flow.flowID ?? "")
        let stranger = TestBrowser(server)
        let off = await stranger.get(address)
        #expect(off.status == 403)
        #expect(Self.text(off).contains("Your browser does not accept cookies"))
        _ = try await stranger.start(.registration)
        let foreign = await stranger.get(address)
        #expect(foreign.status == 403)
        #expect(Self.text(foreign).contains("This form is no longer valid"))
        #expect(Self.text(foreign).contains("Start again"))
    }

    @Test func `The page of an expired flow starts a new one that leads to the same address`() async throws {
        let browser = TestBrowser(server)
        let query = "?return_to=" + QueryItems.encode(Self.app)
        let flow = try await browser.start(.login, query)
        server.time.advance(by: .seconds(601))
        let answer = await browser.get(SelfServiceServer.url + "/login?flow=" + (flow.flowID ?? ""))
        #expect(answer.location == SelfServiceServer.url + "/a/self-service/login/browser" + query)
    }

    @Test func `The settings lead a visitor to the login and back`() async throws {
        try await server.register()
        let visitor = PageVisitor(server)
        try await visitor.open("/settings")
        #expect(visitor.path == "/a/self-service/login/browser" || visitor.path == "/login")
        try await visitor.submit([
            "identifier": Self.mail, "password": SelfServiceServer.password, "method": "password",
        ])
        #expect(visitor.response.status == 200)
    }

    @Test func `A page in the language of ui_locales, or else of the browser`() async throws {
        let browser = TestBrowser(server)
        let flow = try await browser.start(.login)
        let address = SelfServiceServer.url + "/login?flow=" + (flow.flowID ?? "")
        for (query, header, language) in [
            ("", "sv", "sv"), ("&ui_locales=fi%20sv", "sv", "fi"), ("&ui_locales=xx", "nb", "nb"),
            ("", "xx", "en"),
        ] {
            let page = await browser.get(address + query, headers: ["Accept-Language": header])
            #expect(page.response.headers["Content-Language"] == language)
            #expect(Self.text(page).contains("<html lang=\"\(language)\">"))
        }
    }

    @Test func `A login that is sent twice doesn't end on an error page`() async throws {
        try await server.register()
        let browser = TestBrowser(server)
        let flow = try await browser.start(.login)
        let before = browser.cookies
        try await browser.submit(flow, TestBrowser.credentials())
        let second = TestBrowser(server, cookies: before)
        let answer = try await second.submit(flow, TestBrowser.credentials())
        #expect(answer.location == SelfServiceServer.url + "/welcome")
        #expect(second.isLoggedIn)
        // The first browser went back to the form, which belongs to the time before its login.
        let back = await browser.get(SelfServiceServer.url + "/login?flow=" + (flow.flowID ?? ""))
        #expect(back.location == SelfServiceServer.url + "/welcome")
    }

    @Test func `A login that is sent twice checks the password twice`() async throws {
        try await server.register()
        let browser = TestBrowser(server)
        let flow = try await browser.start(.login)
        let second = TestBrowser(server, cookies: browser.cookies)
        try await browser.submit(flow, TestBrowser.credentials())
        try await second.submit(flow, TestBrowser.credentials(password: "wrong-password"))
        #expect(!second.isLoggedIn)
    }

    @Test func `The languages that a client asks for are kept when a flow starts`() async throws {
        let visitor = PageVisitor(server)
        try await visitor.open("/login?ui_locales=nb%20sv")
        #expect(visitor.response.headers["Content-Language"] == "nb")
    }

    // MARK: Accounts

    @Test func `The page with sessions ends one of them or all`() async throws {
        let token = try #require(try await server.register().sessionToken)
        let visitor = PageVisitor(server)
        try await visitor.logIn()
        try await visitor.open("/sessions")
        let id = try #require(await server.get("/sessions/whoami", token: token)["id"]?.text)
        #expect(visitor.text.contains(id))
        try await visitor.submit(["session": id])
        #expect(visitor.text.contains("That device is signed out."))
        #expect(await server.isAlive(token) == false)
        try await visitor.submit(["everywhere": "true"])
        #expect(visitor.title == "You are signed out")
        #expect(await visitor.browser.get("/sessions/whoami").status == 401)
    }

    @Test(arguments: ["/sessions", "/logout"])
    func `A page's form without the browser's token changes nothing`(path: String) async throws {
        try await server.register()
        let visitor = PageVisitor(server)
        try await visitor.logIn()
        let address = SelfServiceServer.url + path
        for values in [["everywhere": "true"], ["everywhere": "true", "csrf_token": "forged"]] {
            let answer = try await visitor.browser.post(address, values)
            #expect(answer.status == 403)
            #expect(answer.response.headers["Content-Type"]?.hasPrefix("text/html") == true)
            #expect(visitor.browser.lastFields.isEmpty)
        }
        try await visitor.open(path)
        let token = try #require(visitor.field("csrf_token"))
        let values = ["everywhere": "true", "csrf_token": token]
        let foreign = try await visitor.browser.post(
            address,
            values,
            headers: ["Origin": "https://evil.example"]
        )
        #expect(foreign.status == 403)
        #expect(await visitor.browser.get("/sessions/whoami").status == 200)
    }

    @Test func `A user can't end another user's session`() async throws {
        let token = try #require(try await server.register(2).sessionToken)
        try await server.register()
        let id = try #require(await server.get("/sessions/whoami", token: token)["id"]?.text)
        let visitor = PageVisitor(server)
        try await visitor.logIn()
        try await visitor.open("/sessions")
        #expect(!visitor.text.contains(id))
        try await visitor.submit(["session": id])
        #expect(await server.isAlive(token))
    }

    @Test func `A logout with an address that isn't allowed changes nothing`() async throws {
        try await server.register()
        let visitor = PageVisitor(server)
        try await visitor.logIn()
        let refused = await visitor.browser.get(
            SelfServiceServer.url + "/logout?return_to=https://evil.example"
        )
        #expect(refused.status == 400)
        try await visitor.open("/logout")
        try await visitor.submit(["return_to": "https://evil.example"])
        #expect(visitor.response.status == 400)
        #expect(await visitor.browser.get("/sessions/whoami").status == 200)
        try await visitor.open("/logout?return_to=" + QueryItems.encode(Self.app))
        try await visitor.submit([:])
        #expect(visitor.location == Self.app)
        #expect(!visitor.browser.isLoggedIn)
    }

    @Test func `Visitors who aren't logged in are told so, or log in first`() async throws {
        let browser = TestBrowser(server)
        let welcome = await browser.get(SelfServiceServer.url + "/welcome")
        #expect(welcome.status == 200)
        let sessions = await browser.get(SelfServiceServer.url + "/sessions")
        #expect(
            sessions.location == SelfServiceServer.url + "/a/self-service/login/browser?return_to="
                + QueryItems.encode(SelfServiceServer.url + "/sessions")
        )
        let logout = await browser.get(SelfServiceServer.url + "/logout")
        #expect(Self.text(logout).contains("You are signed out"))
    }

    // MARK: Errors

    @Test func `Every error that a browser is redirected with has a page`() async throws {
        for error in BrowserError.allCases {
            let id = BrowserErrors(secrets: server.resources.secrets, random: SystemRandom())
                .id(for: error, at: server.time.now)
            let page = await TestBrowser(server).get(SelfServiceServer.url + "/error?id=\(id)")
            #expect(page.status == error.error.status)
            #expect(page.response.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(page.response.headers["X-Frame-Options"] == "DENY")
        }
        #expect(await TestBrowser(server).get(SelfServiceServer.url + "/error?id=x").status == 404)
        #expect(server.reported.withLock { $0.isEmpty })
    }

    @Test func `Browsers that ask for a page get errors as pages, and programs as JSON`() async throws {
        let browser = TestBrowser(server)
        let missing = await browser.get(SelfServiceServer.url + "/nothing-here")
        #expect(missing.status == 404)
        #expect(missing.response.headers["Content-Type"] == "text/html; charset=utf-8")
        for accept in ["application/json", "*/*"] {
            let answer = await browser.get(
                SelfServiceServer.url + "/nothing-here",
                headers: ["Accept": accept]
            )
            #expect(answer.response.headers["Content-Type"] == "application/json")
        }
        let method = await browser.get(SelfServiceServer.url + "/login", method: .delete)
        #expect(method.status == 405)
        #expect(method.response.headers["Allow"] == "GET, HEAD, OPTIONS")
        #expect(method.response.headers["Content-Type"] == "text/html; charset=utf-8")
        let options = await browser.get(SelfServiceServer.url + "/sessions", method: .options)
        #expect(options.status == 204)
        #expect(options.response.headers["Allow"] == "GET, HEAD, OPTIONS, POST")
        let large = await server.send(
            HTTP.Request(
                .post,
                "/logout",
                headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: [UInt8](repeating: 0x61, count: 5000)
            )
        )
        #expect(large.status == 413)
        #expect(large.response.headers["Content-Type"] == "text/html; charset=utf-8")
    }

    @Test func `The files of pages are cached for good`() async throws {
        let browser = TestBrowser(server)
        let page = Self.text(await browser.get(SelfServiceServer.url + "/welcome"))
        let paths = page.matches(of: #/"(https:[^"]*/assets/[^"]*)"/#).map { String($0.output.1) }
        #expect(paths.count == 2)
        for path in paths {
            let file = await browser.get(path)
            #expect(file.status == 200)
            #expect(file.response.headers["Cache-Control"] == "public, max-age=31536000, immutable")
        }
    }

    private static func text(_ answer: Answer) -> String {
        String(decoding: answer.response.body, as: UTF8.self)
    }
}
