import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth

/// The page on which a browser continues an app's session.
@Suite("Continuing an app's session in a browser", .onEachDatabase)
struct ContinuePageTests {
    private static let mail = "person1@example.org"

    private func text(_ answer: Answer) -> String { String(decoding: answer.response.body, as: UTF8.self) }

    /// Opens the address of a code as a page that a browser shows.
    private func page(_ code: String, at server: HandoverServer) async throws -> PageVisitor {
        let visitor = PageVisitor(server.people)
        try await visitor.open(HandoverServer.address(code))
        #expect(visitor.path == "/continue" && visitor.response.status == 200, "\(visitor.summary)")
        return visitor
    }

    // MARK: Without a question

    @Test func `A browser on the app's device continues the session without a question`() async throws {
        let server = try await HandoverServer()
        let code = try await server.code()
        let browser = TestBrowser(server.people)
        let answer = await server.open(code, in: browser)
        #expect(answer.status == 303 && answer.location == HandoverServer.callback)
        #expect(answer.response.headers["Cache-Control"] == "no-store")
        #expect(answer.response.headers["Referrer-Policy"] == "no-referrer")
        #expect(await server.isAlive(browser))
        #expect(try await server.codes() == 0)
        #expect(try await server.people.actions(of: server.identity).contains(.handoverCompleted))
        // The address can't be used again, by anyone.
        let other = TestBrowser(server.people)
        let again = await server.open(code, in: other)
        #expect(again.status == 410 && !other.isLoggedIn)
        #expect(text(again).contains("This link no longer works"))
        #expect(text(again).contains(#"href="https://id.example.com/login""#))
        #expect(try await server.children() == 1)
    }

    @Test func `A browser without cookies gets a session, too, and a new secret`() async throws {
        let server = try await HandoverServer()
        let browser = TestBrowser(server.people)
        _ = try await browser.start(.login)
        let before = browser.cookies[TestBrowser.csrfCookie]
        await server.open(try await server.code(), in: browser)
        #expect(before != nil && browser.cookies[TestBrowser.csrfCookie] != before)
    }

    /// A request that must not use the code up.
    struct Look: Sendable, CustomTestStringConvertible {
        let name: String
        var headers = HandoverServer.opened
        var method = HTTP.Method.get
        var network = HandoverServer.home
        let status: Int

        var testDescription: String { name }
    }

    static let looks: [Look] = [
        Look(name: "a program that sends HEAD", method: .head, status: 200),
        Look(
            name: "a browser that fetches pages in advance",
            headers: ["Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Purpose": "prefetch"],
            status: 400
        ),
        Look(
            name: "a browser that renders pages in advance",
            headers: [
                "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Purpose": "prefetch;prerender",
            ],
            status: 400
        ),
        Look(name: "a scanner", headers: [:], status: 200),
        Look(name: "a link in a mail, in another network", network: "203.0.113.5", status: 200),
        Look(
            name: "a link on a page",
            headers: ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"],
            status: 200
        ),
        Look(
            name: "a page of the same site",
            headers: ["Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"],
            status: 200
        ),
        Look(
            name: "a script",
            headers: ["Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "no-cors"],
            status: 200
        ),
        Look(name: "a request without a mode", headers: ["Sec-Fetch-Site": "none"], status: 200),
    ]

    @Test(arguments: ContinuePageTests.looks)
    func `The code isn't used up by`(_ look: Look) async throws {
        let server = try await HandoverServer()
        // The browsers of these tests are all in one network.
        let code = try await server.code(from: look.network)
        let browser = TestBrowser(server.people)
        let answer = await server.open(code, in: browser, headers: look.headers, method: look.method)
        #expect(answer.status == look.status, "\(answer.status)")
        #expect(!browser.isLoggedIn)
        #expect(answer.response.headers["Cache-Control"] == "no-store" || look.status == 400)
        #expect(try await server.children() == 0)
        #expect(try await server.codes() == 1)
        guard look.network == HandoverServer.home else { return }
        #expect(await server.open(code, in: browser).status == 303)
    }

    @Test func `A subnet of an IPv6 subscriber is one network`() async throws {
        let server = try await HandoverServer()
        for (host, isSilent) in [("2001:db8:1:2::77", true), ("2001:db8:1:3::1", false)] {
            let code = try await server.code(from: "2001:db8:1:2::1")
            let path = HTTP.Request(
                .get,
                "/continue",
                query: "code=" + code,
                headers: HandoverServer.opened
            )
            #expect(await server.people.send(path, from: host).status == (isSilent ? 303 : 200), "\(host)")
        }
    }

    // MARK: With a question

    @Test func `The page names the app and the account, and its form continues`() async throws {
        let server = try await HandoverServer()
        let visitor = try await page(try await server.code(), at: server)
        #expect(visitor.title.hasPrefix("Continue as"))
        #expect(visitor.text.contains(Self.mail) || visitor.text.contains("+46701000001"))
        #expect(visitor.text.contains("The App"))
        #expect(!visitor.browser.isLoggedIn)
        try await visitor.submit(["decision": "approve"])
        #expect(visitor.location == HandoverServer.callback, "\(visitor.summary)")
        #expect(visitor.browser.isLoggedIn)
        #expect(try await server.children() == 1)
        #expect(try await server.codes() == 0)
    }

    @Test func `A user who refuses stays logged out, and the code can't be used any more`() async throws {
        let server = try await HandoverServer()
        let code = try await server.code()
        let visitor = try await page(code, at: server)
        try await visitor.submit(["decision": "refuse"])
        #expect(visitor.path == "/welcome" && !visitor.browser.isLoggedIn)
        #expect(await server.open(code, in: visitor.browser).status == 410)
        #expect(try await server.children() == 0)
    }

    @Test func `A form without the browser's token, or without a decision, changes no session`() async throws
    {
        let server = try await HandoverServer()
        let visitor = try await page(try await server.code(), at: server)
        let stranger = PageVisitor(copying: visitor, to: server.people)
        stranger.browser.cookies = [:]
        try await stranger.submit(["decision": "approve"])
        #expect(stranger.response.status == 403)
        try await PageVisitor(copying: visitor).submit(["decision": "approve", "csrf_token": "x"])
        try await PageVisitor(copying: visitor).submit(["decision": "maybe"])
        let foreign = await visitor.browser.post(
            SelfServiceServer.url + "/continue",
            form: try visitor.form(with: ["decision": "approve", "csrf_token": ""]).fields
        )
        #expect(foreign.status == 403)
        #expect(try await server.children() == 0)
        #expect(try await server.codes() == 1)
        try await visitor.submit(["decision": "approve"])
        #expect(visitor.location == HandoverServer.callback)
    }

    // MARK: Browsers with a session

    @Test func `A session of another user is replaced only after a question that names both`() async throws {
        let server = try await HandoverServer()
        let visitor = PageVisitor(server.people)
        try await visitor.browser.register(2)
        let before = await server.whoami(visitor.browser)
        let code = try await server.code()
        let shown = await server.open(code, in: visitor.browser)
        #expect(shown.status == 200)
        #expect(text(shown).contains("person1@example.org") || text(shown).contains("+46701000001"))
        #expect(text(shown).contains("person2@example.org") || text(shown).contains("+46701000002"))
        #expect(await server.whoami(visitor.browser)["id"] == before["id"])

        try await visitor.open(HandoverServer.address(code))
        try await visitor.submit(["decision": "approve"])
        #expect(visitor.location == HandoverServer.callback, "\(visitor.summary)")
        let now = await server.whoami(visitor.browser)
        #expect(now["identity"]?["id"] == .string(server.identity.description))
        let ended = try #require(before["identity"]?["id"]?.text.flatMap { Identifier($0) })
        #expect(try await server.people.actions(of: ended).contains(.loggedOut))
        let gone = try #require(before["id"]?.text.flatMap { Identifier($0) })
        let rows = try await server.provider.database.rows(
            "SELECT 1 FROM sessions WHERE id = $1 AND revoked_at IS NULL",
            .identifier(gone)
        )
        #expect(rows.isEmpty)
    }

    @Test func `An answer from before a login in another tab replaces no session`() async throws {
        let server = try await HandoverServer()
        let visitor = try await page(try await server.code(), at: server)
        try await server.people.register(2)
        let tab = PageVisitor(sharing: visitor)
        try await tab.logIn(2)
        let before = await server.whoami(visitor.browser)["id"]
        try await visitor.submit(["decision": "approve"])
        #expect(visitor.response.status == 403)
        #expect(await server.whoami(visitor.browser)["id"] == before)
        #expect(try await server.codes() == 1)
    }

    @Test func `A session that the same user has logged in to is kept`() async throws {
        let server = try await HandoverServer()
        let visitor = PageVisitor(server.people)
        try await visitor.logIn()
        let before = await server.whoami(visitor.browser)["id"]
        let answer = await server.open(try await server.code(), in: visitor.browser)
        #expect(answer.status == 303 && answer.location == HandoverServer.callback)
        #expect(await server.whoami(visitor.browser)["id"] == before)
        #expect(try await server.children() == 0)
        #expect(try await server.codes() == 0)
        // It doesn't end with the app's session.
        _ = try await server.people.logOut(server.token)
        #expect(await server.isAlive(visitor.browser))
    }

    @Test func `A session that continues another app of the same user is replaced`() async throws {
        let server = try await HandoverServer()
        let browser = try await server.browser()
        let before = await server.whoami(browser)["id"]
        let other = try await server.logIn()
        await server.open(try await server.code(token: other), in: browser)
        #expect(await server.whoami(browser)["id"] != before)
        #expect(try await server.children() == 1)
        _ = try await server.people.logOut(server.token)
        #expect(await server.isAlive(browser))
        _ = try await server.people.logOut(other)
        #expect(await !server.isAlive(browser))
    }

    // MARK: Ends

    /// A change between the exchange and the use of the code.
    enum Change: String, CaseIterable, Sendable {
        case logout, disabledAccount, erasure, reclaim, recovery
        case disabledTarget, deletedTarget, unlistedApp, otherRedirect, disabledApp, deletedApp
        case expiry
    }

    @Test(arguments: Change.allCases)
    func `The code can't be used after`(_ change: Change) async throws {
        let server = try await HandoverServer()
        let code = try await server.code()
        let asked = try await page(code, at: server)
        let path = "/admin/identities/\(server.identity)"
        switch change {
        case .logout: _ = try await server.people.logOut(server.token)
        case .disabledAccount:
            let patch = #"[{"op": "replace", "path": "/state", "value": "inactive"}]"#
            await server.operate(.patch, path, patch)
        case .erasure: await server.operate(.delete, path)
        case .reclaim: _ = try await server.people.enter(.login, with: Self.mail)
        case .recovery: _ = try await TestBrowser(server.people).recover()
        case .disabledTarget: await server.patch("shop", "add", "/latchkey/disabled", "true")
        case .deletedTarget: await server.operate(.delete, "/admin/clients/shop")
        case .unlistedApp: await server.patch("shop", "replace", "/latchkey/handover_from", "[]")
        case .otherRedirect:
            await server.patch("shop", "replace", "/redirect_uris", #"["https://shop.example.com/new"]"#)
        case .disabledApp: await server.patch("app", "add", "/latchkey/disabled", "true")
        case .deletedApp: await server.operate(.delete, "/admin/clients/app")
        case .expiry: server.time.advance(by: .seconds(60))
        }
        let browser = TestBrowser(server.people)
        #expect(await server.open(code, in: browser).status == 410, "\(change)")
        try await asked.submit(["decision": "approve"])
        #expect(asked.response.status == 410 || asked.response.status == 403, "\(asked.summary)")
        #expect(!browser.isLoggedIn && !asked.browser.isLoggedIn)
        #expect(try await server.children() == 0)
        switch change {
        case .erasure, .reclaim, .recovery, .disabledAccount, .disabledTarget, .deletedTarget, .disabledApp,
            .deletedApp:
            #expect(try await server.codes() == 0, "\(change)")
        default: break
        }
    }

    @Test(arguments: ["", "?code=", "?code=x"])
    func `An address without a code that was issued leads to the login`(query: String) async throws {
        let server = try await HandoverServer()
        let browser = TestBrowser(server.people)
        let answer = await browser.get(
            SelfServiceServer.url + "/continue" + query,
            headers: HandoverServer.opened
        )
        #expect(answer.status == 410)
        #expect(text(answer).contains(#"href="https://id.example.com/login""#))
    }

    @Test func `Of ten browsers at once, one continues the session`() async throws {
        let server = try await HandoverServer()
        let code = try await server.code()
        let other = try await server.provider.another()
        let results = await withTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<10 {
                group.addTask {
                    let browser = TestBrowser(number % 2 == 0 ? server.people : other.people)
                    let answer = await server.open(code, in: browser)
                    return (answer.status, browser.isLoggedIn)
                }
            }
            return await group.reduce(into: [(Int, Bool)]()) { $0.append($1) }
        }
        #expect(results.count { $0.0 == 303 && $0.1 } == 1)
        #expect(results.count { $0.1 } == 1, "\(results)")
        #expect(try await server.children() == 1)
    }

    @Test func `A logout at the same time never leaves the browser logged in`() async throws {
        let server = try await HandoverServer()
        for _ in 1...5 {
            let token = try await server.logIn()
            let code = try await server.code(token: token)
            let browser = TestBrowser(server.people)
            async let opened = server.open(code, in: browser)
            async let ended = server.people.logOut(token)
            _ = try await (opened, ended)
            #expect(await !server.isAlive(browser))
        }
        #expect(try await server.children() == 0)
    }
}
