import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeySelfService

/// Starting and reading flows, as pages and as the scripts of pages.
@Suite("Browsers start and read flows", .onEachDatabase)
struct BrowserStartTests {
    private static let app = "https://app.example.com/in"

    private let server: SelfServiceServer

    init() async throws {
        server = try await SelfServiceServer { $0.flows.returnURLs = [Self.app] }
    }

    @Test(arguments: [FlowKind.login, .registration, .recovery, .verification], ResponseFormat.allCases)
    func `A flow starts with the browser's cookie and is stored nowhere`(
        kind: FlowKind,
        format: ResponseFormat
    ) async throws {
        let browser = TestBrowser(server, as: format)
        let answer = await browser.get(kind.startPath(for: .browser))
        #expect(answer.status == (format == .page ? 303 : 200))
        #expect(answer.response.headers["Vary"] == "Cookie, Accept")
        #expect(answer.response.headers["Cache-Control"]?.contains("no-store") == true)
        #expect(browser.lastFields.count == 1)
        let flow = try await browser.shown(answer)
        #expect(browser.lastFields.isEmpty == (format == .page))
        #expect(flow["type"] == "browser")
        #expect(flow["request_url"]?.text?.hasSuffix("/self-service/\(kind.rawValue)/browser") == true)
        let token = flow.node("csrf_token")?["attributes"]
        #expect(token?["type"] == "hidden")
        #expect(token?["required"] == .bool(true))
        #expect(token?["value"]?.text?.count == 86)
        #expect(try await server.count("flows") == 0)
        if format == .page {
            let id = try #require(flow.flowID)
            #expect(answer.location == "\(SelfServiceServer.url)/\(kind.rawValue)?flow=\(id)")
        }
    }

    @Test(arguments: FlowKind.entrances, ResponseFormat.allCases)
    func `A user who is logged in is sent on`(kind: FlowKind, format: ResponseFormat) async throws {
        let browser = TestBrowser(server, as: format)
        try await browser.register()
        for (query, address) in [
            ("", SelfServiceServer.url + "/welcome"), ("?return_to=\(Self.app)", Self.app),
            ("?return_to=https://evil.example", nil),
        ] {
            let answer = await browser.get(kind.startPath(for: .browser) + query)
            switch (format, address) {
            case (.page, let address?):
                #expect(answer.status == 303)
                #expect(answer.location == address)
            case (.page, nil): #expect(answer.errorPage != nil)
            case (.json, _):
                #expect(answer.status == 400)
                let expected = address == nil ? ErrorID.returnToForbidden : .sessionAlreadyAvailable
                #expect(answer.errorID == expected)
            }
            #expect(browser.lastFields.isEmpty)
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A user who is logged in recovers nothing and verifies as others do`(
        format: ResponseFormat
    ) async throws {
        let browser = TestBrowser(server, as: format)
        try await browser.register()
        let recovery = await browser.get("/self-service/recovery/browser")
        let verification = await browser.get("/self-service/verification/browser")
        switch format {
        case .page:
            #expect(recovery.location == SelfServiceServer.url + "/welcome")
            #expect(verification.page?.0 == .verification)
        case .json:
            #expect(recovery.errorID == .sessionAlreadyAvailable)
            #expect(verification.status == 200)
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `Settings require a session`(format: ResponseFormat) async throws {
        let browser = TestBrowser(server, as: format)
        let start = "/self-service/settings/browser"
        let plain = await browser.get(start)
        let returning = await browser.get(start + "?return_to=\(Self.app)")
        switch format {
        case .page:
            let login = SelfServiceServer.url + "/a/self-service/login/browser"
            #expect(plain.status == 303)
            #expect(plain.location == login)
            #expect(returning.location == login + "?return_to=" + QueryItems.encode(Self.app))
        case .json:
            #expect(plain.status == 401)
            #expect(plain.errorID == .sessionInactive)
            #expect(returning.errorID == .sessionInactive)
        }
        try await browser.register()
        let flow = try await browser.start(.settings)
        #expect(flow.status == 200)
        #expect(flow.value("traits.email") == "person1@example.org")
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A login confirms the user only in a session`(format: ResponseFormat) async throws {
        let browser = TestBrowser(server, as: format)
        #expect(try await browser.start(.login, "?refresh=true")["refresh"] == .bool(false))
        try await browser.register()
        let flow = try await browser.start(.login, "?refresh=true")
        #expect(flow["refresh"] == .bool(true))
        #expect(flow.messages == [.reauthenticate])
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A second factor requires a session`(format: ResponseFormat) async throws {
        let browser = TestBrowser(server, as: format)
        let (second, unknown) = (
            "/self-service/login/browser?aal=aal2", "/self-service/login/browser?aal=aal9"
        )
        switch format {
        case .page:
            #expect(await browser.get(second).errorPage != nil)
            #expect(await browser.get(unknown).errorPage != nil)
        case .json:
            #expect(await browser.get(second).errorID == .sessionAAL1Required)
            #expect(await browser.get(second).status == 401)
            #expect(await browser.get(unknown).status == 400)
        }
        try await browser.register()
        #expect(try await browser.start(.login, "?aal=aal2").status == 200)
    }

    @Test(arguments: FlowKind.allCases, ResponseFormat.allCases)
    func `A return URL that isn't allowed starts nothing`(kind: FlowKind, format: ResponseFormat) async throws
    {
        let browser = TestBrowser(server, as: format)
        if kind == .settings { try await browser.register() }
        let stored = try await server.count("flows")
        for address in ["https://evil.example", "/\\evil.example", "https://app.example.com/in/%2e%2e/x"] {
            let query = "?return_to=" + QueryItems.encode(address)
            let answer = await browser.get(kind.startPath(for: .browser) + query)
            switch format {
            case .page:
                let id = try #require(answer.errorPage)
                let error = await browser.get("/self-service/errors?id=" + id)
                #expect(error["error"]?["id"] == .string(ErrorID.returnToForbidden.rawValue))
            case .json:
                #expect(answer.status == 400)
                #expect(answer.errorID == .returnToForbidden)
            }
            #expect(!answer.response.headers.fields.contains { $0.value.contains("evil") })
        }
        #expect(try await server.count("flows") == stored)
    }

    @Test func `Only the normalized form of a return URL is stored and returned`() async throws {
        let browser = TestBrowser(server, as: .json)
        let query = "?return_to=" + QueryItems.encode("HTTPS://APP.example.com:443/in?x=<y>")
        let flow = try await browser.start(.login, query)
        #expect(flow["return_to"] == "https://app.example.com/in?x=%3Cy%3E")
    }

    // MARK: Reading

    @Test(arguments: ResponseFormat.allCases)
    func `Only the browser that a flow belongs to can read it`(format: ResponseFormat) async throws {
        let browser = TestBrowser(server, as: format)
        for query in ["", "?return_to=\(Self.app)"] {
            let flow = try await browser.start(.login, query)
            let id = try #require(flow.flowID)
            #expect(await browser.show(.login, id).status == 200)
            let stranger = TestBrowser(server, as: format)
            #expect(await stranger.show(.login, id).errorID == .csrfViolation)
            _ = try await stranger.start(.login)
            let refused = await stranger.show(.login, id)
            #expect(refused.status == 403)
            #expect(refused.errorID == .csrfViolation)
            #expect(stranger.lastFields.isEmpty)
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `Unknown and expired flows are reported as JSON`(format: ResponseFormat) async throws {
        let browser = TestBrowser(server, as: format)
        let flow = try await browser.start(.login, "?return_to=\(Self.app)")
        let id = try #require(flow.flowID)
        #expect(await browser.show(.login, Identifier().description).status == 404)
        #expect(await browser.show(.registration, id).status == 404)
        server.time.advance(by: .seconds(601))
        let expired = await browser.show(.login, id)
        #expect(expired.status == 410)
        #expect(expired.errorID == .flowExpired)
        let details = expired["error"]?["details"]
        #expect(details?["redirect_to"] == .string(SelfServiceServer.url + "/a/self-service/login/browser"))
        #expect(details?["return_to"] == .string(Self.app))
    }

    @Test func `Another user's settings can't be read`() async throws {
        let browser = TestBrowser(server)
        try await browser.register()
        let flow = try await browser.start(.settings)
        let id = try #require(flow.flowID)
        let session = browser.cookies[TestBrowser.sessionCookie]
        browser.cookies[TestBrowser.sessionCookie] = nil
        #expect(await browser.show(.settings, id).status == 401)
        let other = TestBrowser(server)
        try await other.register(2)
        browser.cookies[TestBrowser.sessionCookie] = other.cookies[TestBrowser.sessionCookie]
        #expect(await browser.show(.settings, id).errorID == .identityMismatch)
        browser.cookies[TestBrowser.sessionCookie] = session
        #expect(await browser.show(.settings, id).status == 200)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `The address of a form leads to the flow's page`(format: ResponseFormat) async throws {
        let browser = TestBrowser(server, as: format)
        for kind in [FlowKind.login, .registration, .recovery, .verification] {
            let flow = try await browser.start(kind)
            let answer = await browser.get(try #require(flow.action))
            #expect(answer.status == 303)
            #expect(answer.page?.0 == kind)
            #expect(answer.page?.1 == flow.flowID)
        }
    }

    @Test func `The addresses of pages can be the operator's`() async throws {
        let server = try await SelfServiceServer {
            $0.ui.login = "https://login.example.com/start"
            $0.ui.error = "https://login.example.com/wrong"
        }
        let browser = TestBrowser(server)
        let login = await browser.get("/self-service/login/browser")
        #expect(login.location?.hasPrefix("https://login.example.com/start?flow=") == true)
        let registration = await browser.get("/self-service/registration/browser")
        #expect(registration.location?.hasPrefix(SelfServiceServer.url + "/registration?flow=") == true)
        let error = await browser.get("/self-service/login/browser?aal=aal9")
        #expect(error.location?.hasPrefix("https://login.example.com/wrong?id=") == true)
    }

    @Test func `A request without a body for the response changes nothing`() async throws {
        let browser = TestBrowser(server)
        let answer = await browser.get("/self-service/login/browser?return_to=\(Self.app)", method: .head)
        #expect(answer.status == 303)
        #expect(browser.cookies.isEmpty)
        #expect(try await server.count("flows") == 0)
    }

    @Test func `A schema that requires a certificate can't be used to sign up in a browser`() async throws {
        let browser = TestBrowser(server, as: .json)
        let answer = await browser.get("/self-service/registration/browser?identity_schema=customer")
        #expect(answer.errorID == .flowDisabled)
        #expect(await server.get("/self-service/registration/api?identity_schema=customer").status == 200)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A request in advance or with a session token starts nothing`(format: ResponseFormat) async throws {
        let token = try #require(try await server.register().sessionToken)
        let stored = try await server.count("flows")
        for headers in [["Sec-Purpose": "prefetch;prerender"], ["X-Session-Token": token]] as [HTTP.Headers] {
            let browser = TestBrowser(server, as: format)
            let answer = await browser.get(
                "/self-service/recovery/browser?return_to=\(Self.app)",
                headers: headers
            )
            #expect(format == .page ? answer.errorPage != nil : answer.status == 400)
            #expect(browser.cookies.isEmpty)
        }
        #expect(try await server.count("flows") == stored)
    }

    @Test func `Flows that are stored for visitors are limited per network`() async throws {
        let server = try await SelfServiceServer {
            $0.flows.returnURLs = [Self.app]
            $0.limits.formsPerAddress = [Rate(3, per: .seconds(60))]
        }
        let browser = TestBrowser(server, as: .json)
        var statuses: [Int] = []
        for _ in 0..<5 {
            statuses.append(await browser.get("/self-service/recovery/browser?return_to=\(Self.app)").status)
        }
        #expect(statuses == [200, 200, 200, 429, 429])
        #expect(try await server.count("flows") == 3)
        #expect(await browser.get("/self-service/recovery/browser").status == 200)
    }

    @Test func `A cookie that another host has set beside the browser's own locks no user out`() async throws
    {
        try await server.register()
        let browser = TestBrowser(server)
        let flow = try await browser.start(.login)
        let own = try #require(browser.cookies[TestBrowser.csrfCookie])
        let planted = CSRFSecret(random: SystemRandom()).value.exposed
        browser.cookies[TestBrowser.csrfCookie] = "\(planted); \(TestBrowser.csrfCookie)=\(own)"
        #expect(await browser.show(.login, flow.flowID ?? "").status == 200)
        try await browser.submit(flow, TestBrowser.credentials())
        #expect(browser.isLoggedIn)
    }
}
