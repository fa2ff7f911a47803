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
    static let app = "https://app.example.com/in"
    static let mail = "person1@example.org"
    static let newPassword = "another-Horse-8-battery"

    let authorization = TestAuthorization()

    func server(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> SelfServiceServer {
        try await SelfServiceServer(authorization: authorization) {
            $0.flows.returnURLs = [Self.app]
            change(&$0)
        }
    }

    /// Returns a request of a browser, its address, and the query of the flows that belong to it.
    func ask(_ browser: TestBrowser, hint: String? = nil) async throws
        -> (id: Identifier, address: String, query: String)
    {
        let id = try await authorization.request(by: browser, hint: hint)
        return (id, TestAuthorization.address(of: id), "?login_challenge=\(id)")
    }

    func email(of browser: TestBrowser) async -> JSONValue? {
        await browser.get("/sessions/whoami")["identity"]?["traits"]?["email"]
    }

    func sessionID(of browser: TestBrowser) async -> JSONValue? {
        await browser.get("/sessions/whoami")["id"]
    }

    /// Returns the texts of the links of a page to an address.
    static func links(in page: Answer, to address: String) -> [String] {
        let text = String(decoding: page.response.body, as: UTF8.self)
        return text.matches(of: #/<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>/#)
            .filter { $0.output.1 == address }.map { String($0.output.2) }
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
}
