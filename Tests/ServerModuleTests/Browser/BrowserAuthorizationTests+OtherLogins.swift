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

extension BrowserAuthorizationTests {
    // MARK: Users who are logged in

    @Test(arguments: ResponseFormat.allCases)
    func `A login as another user ends the earlier session`(format: ResponseFormat) async throws {
        let server = try await server()
        try await server.register(2)
        let browser = TestBrowser(server, as: format)
        try await browser.register()
        let before = browser.cookies
        let request = try await ask(browser)
        let flow = try await browser.start(.login, request.query)
        #expect(flow["refresh"] == .bool(false))
        #expect(flow.messages.isEmpty)
        let wrong = try await browser.submit(flow, TestBrowser.credentials(2, password: "wrong-password"))
        #expect(try await browser.shown(wrong).messages == [.invalidCredentials])
        #expect(await email(of: browser) == .string(Self.mail))
        let answer = try await browser.submit(flow, TestBrowser.credentials(2))
        #expect(answer.next == request.address)
        #expect(await email(of: browser) == "person2@example.org")
        #expect(await TestBrowser(server, cookies: before).get("/sessions/whoami").status == 401)
        // The request still belongs to the browser.
        #expect(try await browser.start(.login, request.query).status == 200)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A login as the same user keeps the session and its forms`(format: ResponseFormat) async throws {
        let server = try await server()
        let browser = TestBrowser(server, as: format)
        try await browser.register()
        let (session, secret) = (await sessionID(of: browser), browser.csrfCookie)
        server.time.advance(by: .seconds(60))
        for refresh in ["", "&refresh=true"] {
            let request = try await ask(browser)
            let flow = try await browser.start(.login, request.query + refresh)
            #expect(flow["refresh"] == .bool(!refresh.isEmpty))
            let answer = try await browser.submit(flow, TestBrowser.credentials())
            #expect(answer.next == request.address)
            let whoami = await browser.get("/sessions/whoami")
            #expect(whoami["id"] == session)
            #expect(whoami["authenticated_at"]?.text == server.time.now.description)
            #expect(browser.csrfCookie == secret)
            #expect(try await server.count("sessions") == 1)
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A user who is logged in signs up with or recovers another account`(
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        try await server.register(2)
        for number in [3, 2] {
            let browser = TestBrowser(server, as: format)
            try await browser.login(2)
            if number == 2 { try await browser.register(4, try await ask(browser).query) }
            let before = browser.cookies
            let request = try await ask(browser)
            if number == 2 {
                let answer = try await browser.recover(2, request.query)
                #expect(answer.page?.0 == .settings || answer.actions == ["show_settings_ui"])
            } else {
                #expect(try await browser.register(3, request.query).next == request.address)
            }
            #expect(await email(of: browser) == .string("person\(number)@example.org"))
            #expect(await TestBrowser(server, cookies: before).get("/sessions/whoami").status == 401)
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `Settings of a user who was logged out lead to the request`(format: ResponseFormat) async throws {
        let browser = TestBrowser(try await server(), as: format)
        let request = try await ask(browser)
        let started = await browser.get(FlowKind.settings.startPath(for: .browser) + request.query)
        try await browser.register()
        let later = try await ask(browser)
        let flow = try await browser.start(.settings, later.query)
        browser.cookies[TestBrowser.sessionCookie] = nil
        let submitted = try await browser.submit(flow, ["method": "password", "password": Self.newPassword])
        switch format {
        case .page:
            #expect(started.location == request.address)
            #expect(submitted.location == later.address)
        case .json:
            #expect(started.errorID == .sessionInactive)
            #expect(submitted.errorID == .sessionInactive)
        }
    }

    // MARK: The browser before its login

    @Test(arguments: [FlowKind.login, .registration, .recovery, .verification], ResponseFormat.allCases)
    func `A form from before a login in another tab leads to the request and isn't processed`(
        kind: FlowKind,
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        try await server.register(2)
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let flow = try await browser.start(kind, request.query)
        try await browser.login(2)
        let (cookies, work) = (browser.cookies, server.hasher.work)
        let id = try #require(flow.flowID)
        let shown = await browser.show(kind, id)
        #expect(shown.errorID == .csrfViolation)
        #expect(shown["redirect_browser_to"] == .string(request.address))
        let page = await browser.get(SelfServiceServer.url + "/\(kind.rawValue)?flow=" + id)
        #expect(page.location == request.address)
        for values in [TestBrowser.credentials(2), TestBrowser.credentials(2, password: "wrong-password")] {
            let answer = try await browser.submit(flow, values)
            let opened = await browser.get("\(kind.path)?flow=" + id)
            switch format {
            case .page:
                #expect(answer.location == request.address)
                #expect(opened.location == request.address)
            case .json:
                #expect(answer.status == 403)
                #expect(answer.errorID == .csrfViolation)
                #expect(answer["redirect_browser_to"] == .string(request.address))
            }
            #expect(browser.lastFields.isEmpty)
        }
        #expect(browser.cookies == cookies)
        #expect(server.hasher.work == work)
        #expect(authorization.extended.isEmpty)
        // The request belongs to the browser as before.
        #expect(try await browser.start(.login, request.query).status == 200)
    }

    private enum Stranger: CaseIterable {
        case currentToken, noToken, secretAsToken, otherSite, otherBrowser, afterAnHour, afterLogout
        case withoutRequest, withoutCookie
    }

    @Test(arguments: Stranger.allCases, ResponseFormat.allCases)
    private func `A form from before a login doesn't lead on without what only the browser has`(
        stranger: Stranger,
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        try await server.register(2)
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let flow = try await browser.start(.login, stranger == .withoutRequest ? "" : request.query)
        let secret = browser.csrfCookie?.secret.value.exposed
        try await browser.login(2)
        var sender = browser
        var token: String? = flow.csrfToken
        var headers = HTTP.Headers()
        switch stranger {
        case .currentToken: token = try await browser.start(.recovery, request.query).csrfToken
        case .noToken: token = ""
        case .secretAsToken: token = secret
        case .otherSite: headers["Origin"] = "https://evil.example"
        case .otherBrowser:
            sender = TestBrowser(server, as: format)
            try await sender.login(2)
        case .afterAnHour: server.time.advance(by: .seconds(3600))
        case .afterLogout:
            let logout = await browser.get("/self-service/logout/browser")
            await browser.get(try #require(logout["logout_url"]?.text))
        case .withoutRequest: break
        case .withoutCookie: browser.cookies[TestBrowser.csrfCookie] = nil
        }
        let before = sender.cookies
        let answer = try await sender.submit(flow, TestBrowser.credentials(2), token: token, headers: headers)
        switch format {
        case .page:
            let error = await browser.get("/self-service/errors?id=\(try #require(answer.errorPage))")
            #expect(error["error"]?["id"] == "security_csrf_violation")
        case .json:
            #expect(answer.errorID == .csrfViolation)
            #expect(answer["redirect_browser_to"] == nil)
        }
        #expect(sender.cookies == before)
    }

    @Test(arguments: [FlowKind.login, .registration, .recovery, .verification])
    func `Another browser can't read a flow, and isn't led to its request`(kind: FlowKind) async throws {
        let server = try await server()
        let browser = TestBrowser(server, as: .json)
        let request = try await ask(browser)
        let id = try #require(try await browser.start(kind, request.query).flowID)
        let stranger = TestBrowser(server, as: .json)
        _ = try await stranger.start(kind)
        let answer = await stranger.show(kind, id)
        #expect(answer.status == 403)
        #expect(answer.errorID == .csrfViolation)
        #expect(answer["redirect_browser_to"] == nil)
        let page = TestBrowser(server, cookies: stranger.cookies)
        let shown = await page.get(SelfServiceServer.url + "/\(kind.rawValue)?flow=" + id)
        #expect(shown.location != request.address)
        #expect(await browser.show(kind, id).status == 200)
    }

    @Test func `A secret that an attacker has planted before a login opens no form after it`() async throws {
        let server = try await server()
        try await server.register()
        let attacker = TestBrowser(server)
        let request = try await ask(attacker)
        let forms = try await [
            attacker.start(.login, request.query), attacker.start(.login), attacker.start(.verification),
        ]
        let victim = TestBrowser(server, cookies: attacker.cookies)
        try await victim.login()
        let session = victim.cookies[TestBrowser.sessionCookie]
        for form in forms {
            let answer = try await victim.submit(form, TestBrowser.credentials())
            #expect(answer.location == request.address || answer.errorPage != nil)
            #expect(victim.cookies[TestBrowser.sessionCookie] == session)
        }
        #expect(!attacker.isLoggedIn)
    }

    // MARK: Submitting twice

    @Test(arguments: ResponseFormat.allCases)
    func `A login that is sent twice leads to the request, and a wrong password doesn't`(
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let flow = try await browser.start(.login, request.query)
        // These browsers haven't received the response to the first submission.
        let (second, wrong) = (
            TestBrowser(server, as: format, cookies: browser.cookies),
            TestBrowser(server, as: format, cookies: browser.cookies)
        )
        try await browser.submit(flow, TestBrowser.credentials())
        let answer = try await second.submit(flow, TestBrowser.credentials())
        #expect(answer.next == request.address)
        #expect(second.isLoggedIn)
        let refused = try await wrong.submit(flow, TestBrowser.credentials(password: "wrong-password"))
        #expect(refused.next != request.address)
        #expect(!wrong.isLoggedIn)
        let shown = try await wrong.shown(refused)
        #expect(shown.messages == [.invalidCredentials])
        #expect(shown["oauth2_login_challenge"] == .string(request.id.description))
    }

    @Test(arguments: [true, false], ResponseFormat.allCases)
    func `A login that is completed while its password is checked logs in with the right one`(
        isRight: Bool,
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let flow = try await browser.start(.login, request.query)
        let first = TestBrowser(server, as: format, cookies: browser.cookies)
        server.hasher.interrupt { _ = try? await first.submit(flow, TestBrowser.credentials()) }
        let password = isRight ? SelfServiceServer.password : "wrong-password"
        let answer = try await browser.submit(flow, TestBrowser.credentials(password: password))
        #expect(first.isLoggedIn)
        #expect(browser.isLoggedIn == isRight)
        #expect((answer.next == request.address) == isRight)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A code and a sign-up that are sent twice lead to the request and open nothing`(
        format: ResponseFormat
    ) async throws {
        let server = try await server { $0.codes.isLoginEnabled = true }
        try await server.register()
        for kind in FlowKind.entrances {
            let browser = TestBrowser(server, as: format)
            let request = try await ask(browser)
            var form = try await browser.start(kind, request.query)
            var values = [
                "method": "password", "password": SelfServiceServer.password,
                "traits.email": "person2@example.org", "traits.phone": "+46701000002",
            ]
            if kind == .login {
                values = ["method": "code", "identifier": Self.mail]
                form = try await browser.shown(try await browser.submit(form, values))
                values["code"] = try await server.inbox.code(for: Self.mail).exposed
            }
            let second = TestBrowser(server, as: format, cookies: browser.cookies)
            #expect(try await browser.submit(form, values).next == request.address)
            let messages = server.inbox.messages(for: Self.mail).count
            for code in [values["code"], "000000"] {
                values["code"] = code
                let answer = try await second.submit(form, values)
                #expect(answer.status == (format == .page ? 303 : 400))
                #expect(answer.next == request.address)
                #expect(!second.isLoggedIn)
            }
            #expect(server.inbox.messages(for: Self.mail).count == messages)
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A login of the same user that is sent again from the back button leads to the request`(
        format: ResponseFormat
    ) async throws {
        let browser = TestBrowser(try await server(), as: format)
        try await browser.register()
        let request = try await ask(browser)
        let flow = try await browser.start(.login, request.query)
        try await browser.submit(flow, TestBrowser.credentials())
        let (cookies, work) = (browser.cookies, browser.server.hasher.work)
        let answer = try await browser.submit(flow, TestBrowser.credentials(password: "wrong-password"))
        #expect(answer.status == (format == .page ? 303 : 400))
        #expect(answer.next == request.address)
        #expect(browser.cookies == cookies)
        #expect(browser.server.hasher.work == work)
    }
}
