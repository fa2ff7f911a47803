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

/// Flows that belong to an authorization request: how they start, and where they lead.
@Suite("Browsers continue authorization requests", .onEachDatabase)
struct BrowserAuthorizationTests {
    private static let app = "https://app.example.com/in"
    private static let mail = "person1@example.org"
    private static let newPassword = "another-Horse-8-battery"

    private let authorization = TestAuthorization()

    private func server(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> SelfServiceServer {
        try await SelfServiceServer(authorization: authorization) {
            $0.flows.returnURLs = [Self.app]
            change(&$0)
        }
    }

    /// Returns a request of a browser, its address, and the query of the flows that belong to it.
    private func ask(_ browser: TestBrowser, hint: String? = nil) async throws
        -> (id: Identifier, address: String, query: String)
    {
        let id = try await authorization.request(by: browser, hint: hint)
        return (id, TestAuthorization.address(of: id), "?login_challenge=\(id)")
    }

    private func email(of browser: TestBrowser) async -> JSONValue? {
        await browser.get("/sessions/whoami")["identity"]?["traits"]?["email"]
    }

    private func sessionID(of browser: TestBrowser) async -> JSONValue? {
        await browser.get("/sessions/whoami")["id"]
    }

    // MARK: Starting

    @Test(arguments: FlowKind.allCases, ResponseFormat.allCases)
    func `Every kind of flow can belong to a request, and describes it without the operator's notes`(
        kind: FlowKind,
        format: ResponseFormat
    ) async throws {
        let browser = TestBrowser(try await server(), as: format)
        if kind == .settings { try await browser.register() }
        let request = try await ask(browser)
        let stored = try await browser.server.count("flows")
        let flow = try await browser.start(kind, request.query)
        #expect(flow.status == 200)
        #expect(flow["oauth2_login_challenge"] == .string(request.id.description))
        let described = flow["oauth2_login_request"]
        #expect(described?["challenge"] == .string(request.id.description))
        #expect(described?["requested_scope"]?.elements == ["openid", "email"])
        #expect(described?["skip"] == .bool(false))
        #expect(described?["client"]?["client_id"] == "shop")
        #expect(described?["client"]?["client_name"] == "The <Shop>")
        #expect(described?["client"]?["tos_uri"] == "https://shop.example/terms")
        for member in ["metadata", "latchkey", "redirect_uris", "scope", "client_secret"] {
            #expect(described?["client"]?[member] == nil)
        }
        #expect(try await browser.server.count("flows") == stored + 1)
        #expect(authorization.extended.isEmpty)
    }

    private enum Wrong: CaseIterable {
        case unknown, malformed, answered, expired, ofOtherBrowser, withoutCookie
    }

    @Test(arguments: Wrong.allCases, ResponseFormat.allCases)
    private func `A request that the browser can't continue starts nothing, and says why`(
        wrong: Wrong,
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        let browser = TestBrowser(server, as: format)
        let other = TestBrowser(server, as: format)
        let request = try await ask(wrong == .ofOtherBrowser ? other : browser)
        var query = request.query
        let kinds = FlowKind.allCases.filter { $0 != .settings }
        switch wrong {
        case .unknown: query = "?login_challenge=\(Identifier())"
        case .malformed: query = "?login_challenge=x"
        case .answered: authorization.end(request.id)
        case .expired: server.time.advance(by: .seconds(600))
        case .ofOtherBrowser: await browser.get(FlowKind.login.startPath(for: .browser))
        case .withoutCookie: browser.cookies = [:]
        }
        for kind in kinds {
            let answer = await browser.get(kind.startPath(for: .browser) + query)
            switch format {
            case .page:
                let id = try #require(answer.errorPage)
                let error = await browser.get("/self-service/errors?id=" + id)
                #expect(error["error"]?["id"] == "login_challenge_invalid")
                let page = await browser.get(SelfServiceServer.url + "/error?id=" + id)
                #expect(page.status == 400)
                let text = String(decoding: page.response.body, as: UTF8.self)
                #expect(text.contains("This request has expired"))
                // A browser that accepts no cookies is told so.
                let off = await TestBrowser(server).get(SelfServiceServer.url + "/error?id=" + id)
                let hint = String(decoding: off.response.body, as: UTF8.self)
                #expect(hint.contains("Your browser does not accept cookies"))
            case .json:
                #expect(answer.status == 400)
                #expect(answer.errorID == .loginChallengeInvalid)
            }
        }
        #expect(try await server.count("flows") == 0)
    }

    @Test func `A server without a provider refuses every request`() async throws {
        let browser = TestBrowser(try await SelfServiceServer(), as: .json)
        let request = try await ask(browser)
        let answer = await browser.get(FlowKind.login.startPath(for: .browser) + request.query)
        #expect(answer.errorID == .loginChallengeInvalid)
        #expect(try await browser.start(.login, "?login_challenge=").status == 200)
    }

    @Test(arguments: FlowKind.entrances)
    func `A native flow can't belong to a request`(kind: FlowKind) async throws {
        let server = try await server()
        let request = try await ask(TestBrowser(server))
        let answer = await server.get("/self-service/\(kind.rawValue)/api" + request.query)
        #expect(answer.status == 400)
        #expect(answer.errorID == nil)
    }

    // MARK: Completing

    @Test(arguments: FlowKind.entrances, ResponseFormat.allCases)
    func `A login and a sign-up lead to the request, and not to the return URL`(
        kind: FlowKind,
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        if kind == .login { try await server.register() }
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let query = request.query + "&return_to=" + QueryItems.encode(Self.app)
        let answer =
            kind == .login ? try await browser.login(1, query) : try await browser.register(1, query)
        #expect(answer.status == (format == .page ? 303 : 200))
        #expect(answer.next == request.address)
        #expect(answer.actions.count == (format == .page ? 0 : 1))
        #expect(browser.isLoggedIn)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A sign-up leads to the verification, which leads to the request`(
        format: ResponseFormat
    ) async throws {
        let server = try await server { $0.registration.sendsVerification = true }
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let answer = try await browser.register(1, request.query)
        if format == .json { #expect(answer.next == request.address) }
        let id =
            answer.page?.1
            ?? answer.steps.first { $0["action"] == "show_verification_ui" }?["flow"]?["id"]?.text ?? ""
        let flow = await browser.show(.verification, id)
        #expect(flow["oauth2_login_challenge"] == .string(request.id.description))
        #expect(flow["oauth2_login_request"] != nil)
        let page = await browser.get(SelfServiceServer.url + "/verification?flow=" + id)
        #expect(Self.links(in: page, to: request.address) == ["Not now"])
        let found = try await server.flows.find(try #require(Identifier(id)), kind: .verification)
        let code = try await server.inbox.code(for: try #require(found?.address)).exposed
        let passed = try await browser.submit(flow, ["method": "code", "code": code])
        #expect(passed.next == request.address)
        if format == .json {
            #expect(passed["state"] == "passed_challenge")
            #expect(passed.action == request.address)
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A recovery leads to a new password, which leads to the request or can be skipped`(
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let answer = try await browser.recover(1, request.query)
        let id = answer.page?.1 ?? answer.steps.first?["flow"]?["id"]?.text ?? ""
        let settings = await browser.show(.settings, id)
        #expect(settings["oauth2_login_challenge"] == .string(request.id.description))
        let page = await browser.get(SelfServiceServer.url + "/settings?flow=" + id)
        #expect(Self.links(in: page, to: request.address) == ["Not now"])
        let values = ["method": "password", "password": Self.newPassword]
        let saved = try await browser.submit(settings, values)
        #expect(saved.status == (format == .page ? 303 : 200))
        #expect(saved.next == request.address)
        // The form stays usable if the request has expired.
        authorization.end(request.id)
        #expect(await browser.get(SelfServiceServer.url + "/settings?flow=" + id).status == 200)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A mailed link that is opened in another browser doesn't lead to the request`(
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        for kind in [FlowKind.recovery, .verification] {
            let form = try await browser.start(kind, request.query)
            try await browser.submit(form, ["method": "code", "email": Self.mail])
            let code = try await server.inbox.code(for: Self.mail).exposed
            let message = try #require(server.inbox.messages(for: Self.mail).last)
            let link = String(try #require(message.body.exposed.firstMatch(of: #/https:\S+/#)).output)
            let reader = TestBrowser(server, as: format)
            let opened = try await reader.shown(await reader.get(link))
            #expect(opened["oauth2_login_challenge"] == nil)
            let answer = try await reader.submit(opened, ["method": "code", "code": code])
            #expect(answer.next != request.address)
            if let (kind, id) = answer.page ?? Self.settings(in: answer) {
                let next = await reader.show(kind, id)
                #expect(next.status == 200)
                #expect(next["oauth2_login_challenge"] == nil)
            }
            server.time.advance(by: .seconds(61))
        }
    }

    private static func settings(in answer: Answer) -> (FlowKind, String)? {
        answer.steps.first { $0["action"] == "show_settings_ui" }?["flow"]?["id"]?.text.map {
            (.settings, $0)
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A login that requires a verified address keeps the request`(format: ResponseFormat) async throws {
        let server = try await server { $0.login.verifiedAddress = .required }
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let answer = try await browser.login(1, request.query)
        let id =
            answer.page?.1
            ?? answer["error"]?["details"]?["continue_with"]?.elements.first?["flow"]?["id"]?.text ?? ""
        let flow = await browser.show(.verification, id)
        #expect(flow["oauth2_login_challenge"] == .string(request.id.description))
        let code = try await server.inbox.code(for: Self.mail).exposed
        // Only a user who is logged in can skip the verification.
        let page = await browser.get(SelfServiceServer.url + "/verification?flow=" + id)
        #expect(Self.links(in: page, to: request.address).isEmpty)
        let passed = try await browser.submit(flow, ["method": "code", "code": code])
        #expect(passed.next == request.address)
        #expect(!browser.isLoggedIn)
    }

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

    // MARK: Extension and expiry

    @Test(arguments: ResponseFormat.allCases)
    func `Only the first form that the browser itself submits makes the request last longer`(
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let flow = try await browser.start(.login, request.query)
        server.time.advance(by: .seconds(60))
        try await browser.submit(flow, TestBrowser.credentials(), token: "forged")
        #expect(authorization.extended.isEmpty)
        let wrong = TestBrowser.credentials(password: "wrong-password")
        for _ in 0..<2 {
            try await browser.submit(flow, wrong)
            #expect(authorization.extended == [request.id])
            server.time.advance(by: .seconds(60))
        }
    }

    @Test(arguments: FlowKind.entrances, ResponseFormat.allCases)
    func `A form that has expired is replaced, and keeps the request`(
        kind: FlowKind,
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let flow = try await browser.start(kind, request.query + "&return_to=" + QueryItems.encode(Self.app))
        try await browser.submit(flow, TestBrowser.credentials())
        server.time.advance(by: .seconds(601))
        let id = try #require(flow.flowID)
        let start = SelfServiceServer.url + "/a" + kind.startPath(for: .browser) + request.query
        let expired = await browser.show(kind, id)
        #expect(expired.errorID == .flowExpired)
        #expect(expired["error"]?["details"]?["redirect_to"] == .string(start))
        #expect(expired["error"]?["details"]?["return_to"] == .string(Self.app))
        let page = await browser.get(SelfServiceServer.url + "/\(kind.rawValue)?flow=" + id)
        #expect(page.location == start + "&return_to=" + QueryItems.encode(Self.app))
        let answer = try await browser.submit(flow, TestBrowser.credentials())
        let next =
            format == .page
            ? try await browser.shown(answer)
            : await browser.show(kind, try #require(answer["use_flow_id"]?.text))
        #expect(next.flowID != flow.flowID)
        #expect(next["oauth2_login_challenge"] == .string(request.id.description))
        #expect(next["oauth2_login_request"]?["client"]?["client_id"] == "shop")
    }

    @Test(arguments: FlowKind.entrances)
    func `A page whose request has expired leads to the page about the request`(kind: FlowKind) async throws {
        let server = try await server()
        let browser = TestBrowser(server)
        let request = try await ask(browser)
        let flow = try await browser.start(kind, request.query)
        let address = SelfServiceServer.url + "/\(kind.rawValue)?flow=" + (flow.flowID ?? "")
        #expect(await browser.get(address).status == 200)
        authorization.end(request.id)
        #expect(await browser.get(address).location == request.address)
        let shown = await browser.show(kind, flow.flowID ?? "")
        #expect(shown["oauth2_login_challenge"] == .string(request.id.description))
        #expect(shown["oauth2_login_request"] == nil)
        server.time.advance(by: .seconds(601))
        #expect(await browser.get(address).location == request.address)
    }

    // MARK: Pages

    @Test func `The page of a login names the client, can be cancelled, and passes the request on`()
        async throws
    {
        let visitor = PageVisitor(try await server())
        let request = try await ask(visitor.browser)
        for kind in [FlowKind.login, .registration, .recovery] {
            try await visitor.open("/\(kind.rawValue)" + request.query)
            #expect(visitor.path == "/\(kind.rawValue)")
            #expect(visitor.text.contains("The &lt;Shop&gt;"))
            let refusal = authorization.address(refusing: request.id)
            #expect(visitor.text.contains("formaction=\"\(refusal)\""))
            let others = kind == .login ? ["recovery", "registration"] : ["login"]
            for other in others {
                let link = "\(SelfServiceServer.url)/\(other)?login_challenge=\(request.id)"
                #expect(visitor.text.contains("href=\"\(link)\""))
            }
            #expect(visitor.response.headers["Content-Security-Policy"]?.contains("form-action") == false)
        }
    }

    @Test(
        arguments: [
            ("person1@example.org", "person1@example.org", "person1@example.org", ""),
            ("+46701000001", "+46701000001", "", "+46701000001"), ("anna", "anna", "", ""), ("", "", "", ""),
            ("a\u{202E}b", "", "", ""), ("a\nb", "", "", ""),
            (String(repeating: "a", count: 321), "", "", ""),
            ("\"><script>", "\"><script>", "", ""),
        ] as [(String, String, String, String)]
    )
    func `A hint of the client fills in the identifier and nothing else`(
        hint: String,
        identifier: String,
        email: String,
        phone: String
    ) async throws {
        let server = try await server()
        let browser = TestBrowser(server, as: .json)
        let request = try await ask(browser, hint: hint)
        let login = try await browser.start(.login, request.query)
        #expect(login.value("identifier") == .string(identifier))
        #expect(login.messages.isEmpty)
        let registration = try await browser.start(.registration, request.query)
        #expect(registration.value("traits.email")?.text ?? "" == email)
        #expect(registration.value("traits.phone")?.text ?? "" == phone)
        #expect(server.hasher.work == 0)
        let page = await browser.get(
            SelfServiceServer.url + "/login?flow=" + (login.flowID ?? ""),
            headers: ["Accept": "text/html"]
        )
        #expect(!String(decoding: page.response.body, as: UTF8.self).contains("<script>"))
    }

    @Test func `A hint doesn't replace the user who confirms a login`() async throws {
        let browser = TestBrowser(try await server(), as: .json)
        try await browser.register()
        let request = try await ask(browser, hint: "person2@example.org")
        let flow = try await browser.start(.login, request.query + "&refresh=true")
        #expect(flow.value("identifier") == "")
    }

    @Test func `A page is in the client's languages unless the query names others`() async throws {
        let server = try await server()
        let browser = TestBrowser(server)
        let id = try await authorization.request(by: browser, locales: "xx fi")
        let flow = try await browser.start(.login, "?login_challenge=\(id)")
        let address = SelfServiceServer.url + "/login?flow=" + (flow.flowID ?? "")
        for (query, language) in [("", "fi"), ("&ui_locales=nb", "nb"), ("&ui_locales=xx", "sv")] {
            let page = await browser.get(address + query, headers: ["Accept-Language": "sv"])
            #expect(page.response.headers["Content-Language"] == language)
        }
    }

    /// Returns the texts of the links of a page to an address.
    private static func links(in page: Answer, to address: String) -> [String] {
        let text = String(decoding: page.response.body, as: UTF8.self)
        return text.matches(of: #/<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>/#)
            .filter { $0.output.1 == address }.map { String($0.output.2) }
    }
}
