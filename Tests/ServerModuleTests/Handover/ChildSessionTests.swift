import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts

/// The session of a browser that continues an app's session.
@Suite("Sessions that end with an app's session", .onEachDatabase)
struct ChildSessionTests {
    private static let mail = "person1@example.org"
    private static let newPassword = "another-Horse-8-battery"

    /// An event that ends the app's session.
    enum Event: String, CaseIterable, Sendable {
        case logout, revokedToken, revokedByAnother, revokedWithOthers, revokedByTheBrowser
        case revokedOnPage, everywhereOnPage
        case revokedByOperator, allRevokedByOperator, disabledInBulk, deletedInBulk
        case disabledAccount, recovery, newPassword, operatorPassword, reclaim, deletion, erasure
        case tooManySessions, expiry, idleness
    }

    @Test(arguments: Event.allCases)
    func `The browser's session ends at the same time as the app's, after`(_ event: Event) async throws {
        let server = try await HandoverServer { configuration in
            configuration.sessions.lifespan = .seconds(86_400)
            configuration.sessions.browserLifespan = .seconds(10 * 86_400)
            if event == .tooManySessions { configuration.sessions.perAccount = 2 }
            if event == .idleness { configuration.sessions.idleLifespan = .seconds(3600) }
        }
        let browser = try await server.browser()
        try await server.people.register(2)
        let other = try await server.logIn(2)
        let others = try await server.browser(token: other)
        #expect(await server.isAlive(browser))

        try await cause(event, at: server, by: browser)
        #expect(await !server.isAlive(server.token), "\(event)")
        #expect(await !server.isAlive(browser), "\(event)")
        if event != .expiry, event != .idleness {
            #expect(await server.isAlive(other), "\(event)")
            #expect(await server.isAlive(others), "\(event)")
            #expect(try await server.children() == 1)
        }
    }

    private func cause(_ event: Event, at server: HandoverServer, by browser: TestBrowser) async throws {
        let (people, id) = (server.people, try await id(of: server.token, at: server))
        switch event {
        case .logout: _ = try await people.logOut(server.token)
        case .revokedToken:
            _ = await people.send(RevocationRequest(token: Secret(server.token)).httpRequest)
        case .revokedByAnother:
            _ = await people.delete("/sessions/\(id)", token: try await server.logIn())
        case .revokedWithOthers: _ = await people.delete("/sessions", token: try await server.logIn())
        case .revokedByTheBrowser: _ = await browser.get("/sessions", headers: Self.own, method: .delete)
        case .revokedOnPage, .everywhereOnPage:
            let page = PageVisitor(people)
            try await page.logIn()
            try await page.open("/sessions")
            try await page.submit(event == .revokedOnPage ? ["session": id] : ["everywhere": "true"])
        case .revokedByOperator: await server.operate(.delete, "/admin/sessions/\(id)")
        case .allRevokedByOperator:
            await server.operate(.delete, "/admin/identities/\(server.identity)/sessions")
        case .disabledInBulk, .deletedInBulk:
            let action = event == .disabledInBulk ? "disable" : "delete"
            await server.operate(
                .post,
                "/admin/sessions",
                #"{"action": "\#(action)", "sessions": ["\#(id)"]}"#
            )
        case .disabledAccount:
            let patch = #"[{"op": "replace", "path": "/state", "value": "inactive"}]"#
            await server.operate(.patch, "/admin/identities/\(server.identity)", patch)
        case .recovery: _ = try await TestBrowser(people).recover()
        case .newPassword:
            _ = try await people.change(password: Self.newPassword, token: try await server.logIn())
        case .operatorPassword:
            let body = AdminServer.body(1, AdminServer.password)
            let answer = await server.operate(.put, "/admin/identities/\(server.identity)", body)
            #expect(answer.status == 200, "\(answer.body)")
        case .reclaim: _ = try await people.enter(.login, with: Self.mail)
        case .deletion: _ = await people.delete("/account", token: try await server.logIn())
        case .erasure: await server.operate(.delete, "/admin/identities/\(server.identity)")
        case .tooManySessions:
            // The browser's session has ended no session of the app.
            #expect(await server.isAlive(server.token))
            for _ in 1...2 {
                server.time.advance(by: .seconds(1))
                _ = try await server.logIn()
            }
        case .expiry:
            server.time.advance(by: .seconds(86_400) - .microseconds(1))
            #expect(await server.isAlive(browser))
            server.time.advance(by: .microseconds(1))
        case .idleness:
            server.time.advance(by: .seconds(3000))
            #expect(await server.isAlive(browser))
            server.time.advance(by: .seconds(600))
        }
    }

    private static let own: HTTP.Headers = ["Origin": SelfServiceServer.url, "Sec-Fetch-Site": "same-origin"]

    private func id(of token: String, at server: HandoverServer) async throws -> String {
        try #require(await server.people.get("/sessions/whoami", token: token)["id"]?.text)
    }

    // MARK: Properties

    @Test func `The session has the login of the app, but a row of its own without a client`() async throws {
        let server = try await HandoverServer()
        server.time.advance(by: .seconds(100))
        let app = await server.people.get("/sessions/whoami", token: server.token)
        let own = await server.whoami(try await server.browser())

        #expect(own.status == 200 && own["id"] != app["id"])
        #expect(own["identity"]?["id"] == app["identity"]?["id"])
        for name in [
            "authenticator_assurance_level", "authentication_methods", "authenticated_at", "expires_at",
        ] {
            #expect(own[name] == app[name] && own[name] != nil, "\(name)")
        }
        #expect(app["client_id"] == "app" && own["client_id"] == nil)
        #expect(app["issued_at"] != own["issued_at"])
        let listed = await server.people.get("/sessions", token: server.token)
        #expect(listed.body.elements.contains { $0["id"] == own["id"] })
    }

    @Test func `The session isn't privileged even if the app's is`() async throws {
        let server = try await HandoverServer()
        #expect(await server.people.get("/account/export", token: server.token).status == 200)
        let browser = try await server.browser()
        let export = await browser.get("/account/export")
        #expect(export.status == 403 && export.errorID == .sessionRefreshRequired)
        let form = try await browser.start(.settings)
        let values = ["method": "password", "password": Self.newPassword]
        let refused = try await browser.submit(form, values)
        #expect(refused.location?.contains("/login") == true, "\(refused.status)")
        #expect(await server.isAlive(server.token))
        #expect(try await server.people.login().status == 200)
    }

    @Test func `After a login in the browser, the session is privileged and independent of the app`()
        async throws
    {
        let server = try await HandoverServer()
        let browser = try await server.browser()
        let id = await server.whoami(browser)["id"]
        let form = try await browser.start(.login, "?refresh=true")
        try await browser.submit(form, TestBrowser.credentials())
        #expect(await server.whoami(browser)["id"] == id)
        #expect(await browser.get("/account/export").status == 200)
        _ = try await server.people.logOut(server.token)

        #expect(await server.isAlive(browser))
        #expect(try await server.children() == 0)
    }

    @Test func `The end of the browser's session doesn't end the app's`() async throws {
        let server = try await HandoverServer()
        let browser = try await server.browser()
        let page = PageVisitor(server.people)
        page.browser.cookies = browser.cookies
        try await page.open("/logout")
        try await page.submit([:])

        #expect(try await server.children() == 0)
        #expect(await server.isAlive(server.token))
    }

    @Test func `An event stream of the browser's session ends with the app's`() async throws {
        let server = try await HandoverServer()
        let browser = try await server.browser()
        let found = try #require(await server.whoami(browser)["id"]?.text.flatMap { Identifier($0) })
        let subscription = server.provider.database.broadcast.subscribe(to: [.session(found)])
        _ = try await server.people.logOut(server.token)

        #expect(await subscription.next() != nil)
    }

    @Test func `Too many sessions of browsers end each other, and none of an app`() async throws {
        let server = try await HandoverServer { $0.sessions.perAccount = 2 }
        var browsers: [TestBrowser] = []
        for _ in 1...3 {
            browsers.append(try await server.browser())
            server.time.advance(by: .seconds(1))
        }
        #expect(try await server.children() == 2)
        #expect(await server.isAlive(browsers[2]))
        #expect(await server.isAlive(server.token))
    }

    @Test func `An operator can't extend the session beyond the app's`() async throws {
        let server = try await HandoverServer()
        let browser = try await server.browser()
        let before = await server.whoami(browser)
        server.time.advance(by: .seconds(3600))
        let answer = await server.operate(
            .patch,
            "/admin/sessions/\(before["id"]?.text ?? "")/extend"
        )
        #expect(answer.status < 300)
        #expect(await server.whoami(browser)["expires_at"] == before["expires_at"])
    }

    @Test func `A shorter lifespan of the app's session also applies to the browser's`() async throws {
        let server = try await HandoverServer()
        let browser = try await server.browser()
        let session = try #require(
            try await SessionRepository(database: server.provider.database)
                .find(SessionToken(presented: Secret(server.token)))
        ).session
        var settings = SessionSettings()
        settings.lifespan = .seconds(60)
        let renewed = session.authenticatedAgain(by: .password, at: server.time.now, settings: settings)
        let token = SessionToken(for: .app, settings: settings, random: SystemRandom())
        try await server.provider.database.transaction { transaction in
            let isRenewed = try SessionRepository.renew(
                renewed,
                evidence: .password,
                token: token,
                in: transaction
            )
            #expect(isRenewed)
        }
        server.time.advance(by: .seconds(59))
        #expect(await server.isAlive(browser))
        server.time.advance(by: .seconds(1))
        #expect(await !server.isAlive(browser))
    }

    @Test func `An idle lifespan is applied to the browser's session first`() async throws {
        let server = try await HandoverServer()
        let browser = try await server.browser()
        let now = server.time.now
        var counts: [Int] = []
        for _ in 1...4 {
            counts.append(
                try await server.provider.database.transaction { transaction in
                    try SessionRepository.applyIdleLifespan(
                        .seconds(3600),
                        at: now,
                        atMost: 1,
                        in: transaction
                    )
                }
            )
            let late: SQL = """
                parent_id IS NOT NULL AND expires_at > (SELECT p.expires_at FROM sessions p WHERE p.id = sessions.parent_id)
                """
            #expect(try await server.provider.count("sessions", where: late) == 0)
        }
        // The account also has the session of its registration.
        #expect(counts == [1, 1, 1, 0])
        server.time.advance(by: .seconds(3600))
        #expect(await !server.isAlive(browser))
    }
}
