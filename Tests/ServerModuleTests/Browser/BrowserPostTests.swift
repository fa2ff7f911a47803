import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeySelfService

/// Submissions, as forms and as the JSON of scripts.
@Suite("Browsers submit forms", .onEachDatabase)
struct BrowserPostTests {
    private static let app = "https://app.example.com/in"
    private static let home = SelfServiceServer.url + "/welcome"

    private let server: SelfServiceServer

    init() async throws {
        server = try await SelfServiceServer { $0.flows.returnURLs = [Self.app] }
    }

    // MARK: Forged forms

    @Test(arguments: [FlowKind.login, .registration, .recovery, .verification], ResponseFormat.allCases)
    func `A form without the browser's token is refused and changes nothing`(
        kind: FlowKind,
        format: ResponseFormat
    ) async throws {
        let browser = TestBrowser(server, as: format)
        let stranger = TestBrowser(server, as: format)
        let flow = try await browser.start(kind)
        let foreign = try await stranger.start(kind)
        let secret = try #require(browser.cookies[TestBrowser.csrfCookie])
        var tokens = ["", "forged", foreign.csrfToken, secret]
        tokens.append(String(flow.csrfToken.dropLast()))
        for token in tokens {
            let answer = try await browser.submit(flow, TestBrowser.credentials(), token: token)
            try await expectRefusal(answer, by: browser)
        }
        // Another browser's cookie, and no cookie.
        for cookie in [stranger.cookies[TestBrowser.csrfCookie], nil] {
            browser.cookies[TestBrowser.csrfCookie] = cookie
            try await expectRefusal(try await browser.submit(flow, TestBrowser.credentials()), by: browser)
        }
        browser.cookies[TestBrowser.csrfCookie] = secret
        #expect(await browser.show(kind, try #require(flow.flowID)).status == 200)
        #expect(try await server.count("flows") == 0)
    }

    @Test(
        arguments: [
            ["Sec-Fetch-Site": "cross-site"], ["Origin": "https://evil.example"], ["Origin": "null"],
            ["Origin": "null", "Sec-Fetch-Site": "same-site"], ["Origin": "https://app.id.example.com"],
        ] as [[String: String]],
        ResponseFormat.allCases
    )
    func `A form that another site's page sends is refused, even with the token`(
        fields: [String: String],
        format: ResponseFormat
    ) async throws {
        try await server.register()
        let browser = TestBrowser(server, as: format)
        var headers = HTTP.Headers()
        for (name, value) in fields { headers[name] = value }
        let flow = try await browser.start(.login)
        let answer = try await browser.submit(flow, TestBrowser.credentials(), headers: headers)
        try await expectRefusal(answer, by: browser)
        #expect(!browser.isLoggedIn)
    }

    @Test(
        arguments: [
            ["Origin": SelfServiceServer.url], ["Origin": "null", "Sec-Fetch-Site": "same-origin"],
            ["Origin": "https://login.example.com"], ["Sec-Fetch-Site": "same-origin"], [:],
        ] as [[String: String]]
    )
    func `A form of our own pages is accepted`(fields: [String: String]) async throws {
        let server = try await SelfServiceServer { $0.ui.login = "https://login.example.com/login" }
        try await server.register()
        let browser = TestBrowser(server)
        var headers = HTTP.Headers()
        for (name, value) in fields { headers[name] = value }
        try await browser.submit(try await browser.start(.login), TestBrowser.credentials(), headers: headers)
        #expect(browser.isLoggedIn)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A body that can't be read is refused if another site's page sends it`(
        format: ResponseFormat
    ) async throws {
        let browser = TestBrowser(server, as: format)
        let flow = try await browser.start(.login)
        let answer = await server.send(
            HTTP.Request(
                .post,
                "/a/self-service/login",
                query: "flow=\(try #require(flow.flowID))",
                headers: [
                    "Content-Type": "text/plain", "Origin": "https://evil.example",
                    "Accept": format == .page ? "text/html" : "application/json",
                    "Cookie": TestBrowser.csrfCookie + "=" + (browser.cookies[TestBrowser.csrfCookie] ?? ""),
                ],
                body: Array("csrf_token=x".utf8)
            )
        )
        switch format {
        case .page: #expect(answer.errorPage != nil)
        case .json: #expect(answer.errorID == .csrfViolation)
        }
    }

    private func expectRefusal(_ answer: Answer, by browser: TestBrowser) async throws {
        #expect(browser.lastFields.isEmpty)
        switch browser.format {
        case .page:
            #expect(answer.status == 303)
            let error = await browser.get("/self-service/errors?id=\(try #require(answer.errorPage))")
            #expect(error["error"]?["id"] == "security_csrf_violation")
            #expect(error["error"]?["code"] == 403)
        case .json:
            #expect(answer.status == 403)
            #expect(answer.errorID == .csrfViolation)
        }
    }

    // MARK: Login

    @Test(arguments: ResponseFormat.allCases)
    func `A login sets new cookies and leads to where the user wanted to go`(
        format: ResponseFormat
    ) async throws {
        try await server.register()
        for (query, address) in [("", Self.home), ("?return_to=\(Self.app)", Self.app)] {
            let browser = TestBrowser(server, as: format)
            let flow = try await browser.start(.login, query)
            let secret = browser.cookies[TestBrowser.csrfCookie]
            let answer = try await browser.submit(flow, TestBrowser.credentials())
            switch format {
            case .page:
                #expect(answer.status == 303)
                #expect(answer.location == address)
                #expect(answer.response.body.isEmpty)
            case .json:
                #expect(answer.status == 200)
                #expect(answer["session"]?["active"] == .bool(true))
                #expect(answer["session_token"] == nil)
                #expect(answer.actions == ["redirect_browser_to"])
                #expect(answer.steps.first?["redirect_browser_to"] == .string(address))
            }
            #expect(browser.isLoggedIn)
            #expect(browser.cookies[TestBrowser.csrfCookie] != secret)
            #expect(await browser.get("/sessions/whoami").status == 200)
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A wrong password shows the form with the identifier, and not with the password`(
        format: ResponseFormat
    ) async throws {
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let flow = try await browser.start(.login)
        let answer = try await browser.submit(flow, TestBrowser.credentials(password: "wrong-password"))
        #expect(answer.status == (format == .page ? 303 : 400))
        let shown = try await browser.shown(answer)
        #expect(shown.flowID == flow.flowID)
        #expect(shown.messages == [.invalidCredentials])
        #expect(shown.value("identifier") == "person1@example.org")
        #expect(shown.value("password") == nil)
        #expect(!browser.isLoggedIn)
        try await browser.submit(shown, TestBrowser.credentials())
        #expect(browser.isLoggedIn)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A login with a code shows the form for the code`(format: ResponseFormat) async throws {
        let server = try await SelfServiceServer { $0.codes.isLoginEnabled = true }
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let flow = try await browser.start(.login)
        let first = ["method": "code", "identifier": "person1@example.org"]
        let sent = try await browser.submit(flow, first)
        #expect(sent.status == (format == .page ? 303 : 400))
        let waiting = try await browser.shown(sent)
        #expect(waiting["state"] == "sent_email")
        let code = try await server.inbox.code(for: "person1@example.org").exposed
        let wrong = code == "000000" ? "000001" : "000000"
        let refused = try await browser.submit(waiting, first.merging(["code": wrong]) { $1 })
        #expect(refused.status == (format == .page ? 303 : 400))
        #expect(try await browser.shown(refused).messages == [.wrongLoginCode])
        let right = try await browser.submit(waiting, first.merging(["code": code]) { $1 })
        #expect(right.status == (format == .page ? 303 : 200))
        #expect(browser.isLoggedIn)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A login form that is sent by a user who is logged in leads on`(format: ResponseFormat) async throws
    {
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let flow = try await browser.start(.login, "?return_to=\(Self.app)")
        let other = TestBrowser(server, as: format)
        try await other.login()
        let session = try #require(other.cookies[TestBrowser.sessionCookie])
        browser.cookies[TestBrowser.sessionCookie] = session
        let answer = try await browser.submit(flow, TestBrowser.credentials())
        switch format {
        case .page: #expect(answer.location == Self.app)
        case .json: #expect(answer.status == 400)
        }
        #expect(browser.cookies[TestBrowser.sessionCookie] == session)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A login for another user ends the browser's earlier session`(format: ResponseFormat) async throws {
        try await server.register(2)
        let browser = TestBrowser(server, as: format)
        try await browser.register()
        let old = browser.cookies
        let flow = try await browser.start(.login, "?refresh=true")
        try await browser.submit(flow, TestBrowser.credentials(2))
        let whoami = await browser.get("/sessions/whoami")
        #expect(whoami["identity"]?["traits"]?["email"] == "person2@example.org")
        #expect(browser.cookies[TestBrowser.csrfCookie] != old[TestBrowser.csrfCookie])
        #expect(await TestBrowser(server, cookies: old).get("/sessions/whoami").status == 401)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A user who confirms a login keeps the session and its forms`(format: ResponseFormat) async throws {
        let browser = TestBrowser(server, as: format)
        try await browser.register()
        let before = browser.cookies
        let first = await browser.get("/sessions/whoami")
        let settings = try await browser.start(.settings)
        let flow = try await browser.start(.login, "?refresh=true")
        try await browser.submit(flow, TestBrowser.credentials())
        let second = await browser.get("/sessions/whoami")
        #expect(second["id"] == first["id"])
        #expect(browser.cookies[TestBrowser.sessionCookie] != before[TestBrowser.sessionCookie])
        #expect(browser.cookies[TestBrowser.csrfCookie] == before[TestBrowser.csrfCookie])
        #expect(await browser.show(.settings, try #require(settings.flowID)).status == 200)
        // The earlier cookie stays valid for requests that are still in flight.
        #expect(await TestBrowser(server, cookies: before).get("/sessions/whoami").status == 200)
    }

    // MARK: Errors

    @Test(arguments: ResponseFormat.allCases)
    func `Unknown methods and other media types show the form`(format: ResponseFormat) async throws {
        let browser = TestBrowser(server, as: format)
        let flow = try await browser.start(.login)
        let unknown = try await browser.submit(flow, ["method": "magic"])
        #expect(unknown.status == (format == .page ? 303 : 400))
        #expect(try await browser.shown(unknown).messages == [.noLoginStrategy])
        let none = try await browser.submit(flow, [:])
        #expect(try await browser.shown(none).messages == [.noLoginStrategy])
        let other = await server.send(
            HTTP.Request(
                .post,
                "/a/self-service/login",
                query: "flow=\(try #require(flow.flowID))",
                headers: [
                    "Content-Type": "text/plain",
                    "Accept": format == .page ? "text/html" : "application/json",
                    "Cookie": TestBrowser.csrfCookie + "=" + (browser.cookies[TestBrowser.csrfCookie] ?? ""),
                ],
                body: Array("csrf_token=x".utf8)
            )
        )
        #expect(other.status == (format == .page ? 303 : 400))
        #expect(try await browser.shown(other).messages == [.validation])
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A form for an unknown flow or none is an error`(format: ResponseFormat) async throws {
        let browser = TestBrowser(server, as: format)
        _ = try await browser.start(.login)
        let unknown = try await browser.post("/self-service/login?flow=\(Identifier())", [:])
        let none = try await browser.post("/self-service/login", [:])
        switch format {
        case .page:
            #expect(unknown.errorPage != nil)
            #expect(none.errorPage != nil)
        case .json:
            #expect(unknown.status == 404)
            #expect(none.status == 400)
        }
    }

    @Test(arguments: FlowKind.entrances, ResponseFormat.allCases)
    func `An expired form is replaced, and the way on is kept`(
        kind: FlowKind,
        format: ResponseFormat
    ) async throws {
        let browser = TestBrowser(server, as: format)
        let flow = try await browser.start(kind, "?return_to=\(Self.app)")
        server.time.advance(by: .seconds(601))
        let answer = try await browser.submit(flow, TestBrowser.credentials())
        let next: Answer
        switch format {
        case .page: next = try await browser.shown(answer)
        case .json:
            #expect(answer.status == 410)
            #expect(answer.errorID == .flowExpired)
            #expect(answer["expired_at"] != nil)
            next = await browser.show(kind, try #require(answer["use_flow_id"]?.text))
        }
        #expect(next.flowID != flow.flowID)
        #expect(next.messages == [kind == .login ? .loginExpired : .registrationExpired])
        #expect(next["return_to"] == .string(Self.app))
        if kind == .login {
            try await server.register()
            try await browser.submit(next, TestBrowser.credentials())
            #expect(browser.isLoggedIn)
        }
    }

    @Test func `A browser's flow and a native app's are not interchangeable`() async throws {
        try await server.register()
        let browser = TestBrowser(server, as: .json)
        let flow = try await browser.start(.login)
        let native = try await server.submit(
            .login,
            try #require(flow.flowID),
            .object(TestBrowser.credentials().mapValues { .string($0) })
        )
        #expect(native.status == 403)
        let other = await server.get("/self-service/login/api")
        let refused = try await browser.submit(other, TestBrowser.credentials())
        #expect(refused.status == 400)
        #expect(refused.messages == [.validation])
        #expect(!browser.isLoggedIn)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `An account that requires a certificate is told so only after the right password`(
        format: ResponseFormat
    ) async throws {
        let server = try await SelfServiceServer(schema: "customer")
        let phone = "+439999999999"
        let native = try await server.beginRegistration(verified: phone)
        let registered = try await server.submit(
            .registration,
            native,
            .object([
                "method": "password", "password": "271828", "traits": .object(["phone": .string(phone)]),
            ])
        )
        try #require(registered.status == 200)
        let browser = TestBrowser(server, as: format)
        let flow = try await browser.start(.login)
        var values = ["method": "password", "identifier": phone, "password": "314159"]
        let wrong = try await browser.submit(flow, values)
        #expect(try await browser.shown(wrong).messages == [.invalidCredentials])
        values["password"] = "271828"
        let right = try await browser.submit(flow, values)
        #expect(right.status == (format == .page ? 303 : 400))
        let shown = try await browser.shown(right)
        #expect(shown["ui"]?["messages"]?.elements.first?["text"] == .string(FormText.appRequired.rawValue))
        #expect(!browser.isLoggedIn)
        #expect(try await server.count("sessions") == 1)
        // The right password uses up no attempts.
        for _ in 0..<30 {
            let again = try await browser.submit(flow, values)
            #expect(try await browser.shown(again).messages == [.validation])
        }
    }
}
