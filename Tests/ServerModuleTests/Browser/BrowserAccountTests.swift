import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeySelfService

/// Sign-up, verification, recovery and settings in browsers.
@Suite("Browsers sign up, verify, recover and change accounts", .onEachDatabase)
struct BrowserAccountTests {
    private static let app = "https://app.example.com/in"
    private static let home = SelfServiceServer.url + "/welcome"
    private static let mail = "person1@example.org"

    private func server(verifying sendsVerification: Bool = false) async throws -> SelfServiceServer {
        try await SelfServiceServer {
            $0.flows.returnURLs = [Self.app]
            $0.registration.sendsVerification = sendsVerification
        }
    }

    // MARK: Sign-up

    @Test(arguments: ResponseFormat.allCases)
    func `A sign-up logs in and leads to where the user wanted to go`(format: ResponseFormat) async throws {
        for (query, address) in [("", Self.home), ("?return_to=\(Self.app)", Self.app)] {
            let browser = TestBrowser(try await server(), as: format)
            let answer = try await browser.register(1, query)
            switch format {
            case .page: #expect(answer.location == address)
            case .json:
                #expect(answer.status == 200)
                #expect(answer["session_token"] == nil)
                #expect(answer["identity"]?["traits"]?["email"] == .string(Self.mail))
                #expect(answer["session"]?["active"] == .bool(true))
                #expect(answer.actions == ["redirect_browser_to"])
                #expect(answer.steps.first?["redirect_browser_to"] == .string(address))
            }
            #expect(await browser.get("/sessions/whoami").status == 200)
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A sign-up leads to the verification, which leads on`(format: ResponseFormat) async throws {
        let server = try await server(verifying: true)
        let browser = TestBrowser(server, as: format)
        let answer = try await browser.register(1, "?return_to=\(Self.app)")
        let id: String
        switch format {
        case .page:
            let page = try #require(answer.page)
            #expect(page.0 == .verification)
            id = page.1
        case .json:
            #expect(answer.actions.first == "redirect_browser_to")
            let step = try #require(answer.steps.first { $0["action"] == "show_verification_ui" })
            id = try #require(step["flow"]?["id"]?.text)
            let url = "\(SelfServiceServer.url)/verification?flow=\(id)"
            #expect(step["flow"]?["url"] == .string(url))
        }
        // The flow belongs to the browser's new secret.
        let flow = await browser.show(.verification, id)
        #expect(flow["state"] == "sent_email")
        let address = try #require(try await address(of: id, in: server))
        let code = try await server.inbox.code(for: address).exposed
        let passed = try await browser.shown(
            try await browser.submit(flow, ["method": "code", "code": code])
        )
        #expect(passed["state"] == "passed_challenge")
        #expect(passed.action == Self.app)
        #expect(passed["ui"]?["nodes"]?.elements.last?["attributes"]?["href"] == .string(Self.app))
    }

    private func address(of flow: String, in server: SelfServiceServer) async throws -> String? {
        try await server.flows.find(try #require(Identifier(flow)), kind: .verification)?.address
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A refused sign-up shows the form with the values, and not with the password`(
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let taken = try await browser.register()
        #expect(taken.status == (format == .page ? 303 : 400))
        let shown = try await browser.shown(taken)
        #expect(shown.messages == [.duplicateIdentifier])
        #expect(shown.value("traits.email") == .string(Self.mail))
        #expect(shown.value("password") == nil)
        var values = ["method": "password", "password": "short", "traits.email": "person2@example.org"]
        values["traits.phone"] = "+46701000002"
        let short = try await browser.submit(shown, values)
        #expect(try await browser.shown(short).messages("password").count == 1)
        values["password"] = nil
        let missing = try await browser.submit(shown, values)
        #expect(try await browser.shown(missing).messages("password") == [.missing])
        #expect(!browser.isLoggedIn)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A sign-up that is sent again with a session leads on`(format: ResponseFormat) async throws {
        let browser = TestBrowser(try await server(), as: format)
        let flow = try await browser.start(.registration)
        let other = TestBrowser(browser.server, as: format)
        try await other.register(2)
        browser.cookies[TestBrowser.sessionCookie] = other.cookies[TestBrowser.sessionCookie]
        let answer = try await browser.submit(flow, ["method": "password"])
        switch format {
        case .page: #expect(answer.location == Self.home)
        case .json: #expect(answer.errorID == .sessionAlreadyAvailable)
        }
    }

    // MARK: Verification

    @Test(arguments: ResponseFormat.allCases)
    func `A verification shows the form for the code, and then the way on`(format: ResponseFormat)
        async throws
    {
        let server = try await server()
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let flow = try await browser.start(.verification, "?return_to=\(Self.app)")
        let sent = try await browser.submit(flow, ["method": "code", "email": Self.mail])
        #expect(sent.status == (format == .page ? 303 : 200))
        let waiting = try await browser.shown(sent)
        #expect(waiting.messages == [.emailCodeSent])
        #expect(!waiting.csrfToken.isEmpty)
        let code = try await server.inbox.code(for: Self.mail).exposed
        let wrong = try await browser.submit(waiting, ["code": code == "000000" ? "000001" : "000000"])
        #expect(wrong.status == (format == .page ? 303 : 200))
        #expect(try await browser.shown(wrong).messages == [.wrongVerificationCode])
        let right = try await browser.submit(waiting, ["code": code])
        let passed = try await browser.shown(right)
        #expect(passed["state"] == "passed_challenge")
        #expect(passed.action == Self.app)
        #expect(!browser.isLoggedIn)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A login that requires a verified address leads to the verification`(
        format: ResponseFormat
    ) async throws {
        let server = try await SelfServiceServer { $0.login.verifiedAddress = .required }
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let answer = try await browser.login()
        switch format {
        case .page: #expect(answer.page?.0 == .verification)
        case .json:
            #expect(answer.status == 403)
            #expect(answer.errorID == .verifiedAddressRequired)
        }
        #expect(!browser.isLoggedIn)
        let id =
            answer.page?.1
            ?? answer["error"]?["details"]?["continue_with"]?.elements.first?["flow"]?["id"]?.text ?? ""
        #expect(await browser.show(.verification, id)["state"] == "sent_email")
    }

    // MARK: Recovery

    @Test(arguments: ResponseFormat.allCases)
    func `The answers to a recovery are the same for unknown addresses`(format: ResponseFormat) async throws {
        let server = try await server()
        try await server.register()
        for mail in [Self.mail, "unknown@example.org"] {
            let browser = TestBrowser(server, as: format)
            let answer = try await browser.submit(
                try await browser.start(.recovery),
                ["method": "code", "email": mail]
            )
            #expect(answer.status == (format == .page ? 303 : 200))
            #expect(try await browser.shown(answer).messages == [.recoveryCodeSent])
        }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A recovery logs in, and the user sets a password`(format: ResponseFormat) async throws {
        let server = try await server()
        let old = try #require(try await server.register().sessionToken)
        let browser = TestBrowser(server, as: format)
        _ = try await browser.start(.recovery)
        let secret = browser.cookies[TestBrowser.csrfCookie]
        let answer = try await browser.recover()
        let settings: Answer
        switch format {
        case .page:
            #expect(answer.page?.0 == .settings)
            settings = try await browser.shown(answer)
        case .json:
            #expect(answer.status == 200)
            #expect(answer.actions == ["show_settings_ui"])
            #expect(answer.sessionToken == nil)
            let flow = answer.steps.first?["flow"]
            let id = try #require(flow?["id"]?.text)
            #expect(flow?["url"] == .string("\(SelfServiceServer.url)/settings?flow=\(id)"))
            settings = await browser.show(.settings, id)
        }
        #expect(settings.messages == [.recovered])
        #expect(browser.cookies[TestBrowser.csrfCookie] != secret)
        #expect(await server.get("/sessions/whoami", token: old).status == 401)
        let saved = try await browser.submit(
            settings,
            ["method": "password", "password": "another-Horse-8-battery"]
        )
        #expect(saved.status == (format == .page ? 303 : 200))
        #expect(try await browser.shown(saved)["state"] == "success")
        let next = TestBrowser(server, as: format)
        try await next.login(password: "another-Horse-8-battery")
        #expect(next.isLoggedIn)
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A recovery code works once`(format: ResponseFormat) async throws {
        let server = try await server()
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let form = try await browser.start(.recovery)
        let sent = try await browser.shown(
            try await browser.submit(form, ["method": "code", "email": Self.mail])
        )
        let before = browser.cookies
        let code = try await server.inbox.code(for: Self.mail).exposed
        try await browser.submit(sent, ["method": "code", "code": code])
        #expect(browser.isLoggedIn)
        let again = TestBrowser(server, as: format, cookies: before)
        let answer = try await again.shown(try await again.submit(sent, ["method": "code", "code": code]))
        #expect(answer.flowID != sent.flowID)
        #expect(answer.messages == [.recoveryDone])
        #expect(!again.isLoggedIn)
    }

    // MARK: Settings

    @Test(arguments: ResponseFormat.allCases)
    func `Settings are saved, and lead on if the user came from elsewhere`(format: ResponseFormat)
        async throws
    {
        let browser = TestBrowser(try await server(), as: format)
        try await browser.register()
        let values = ["method": "password", "password": "another-Horse-8-battery"]
        let flow = try await browser.start(.settings)
        let saved = try await browser.shown(try await browser.submit(flow, values))
        #expect(saved.flowID == flow.flowID)
        #expect(saved["state"] == "success")
        #expect(saved.messages == [.settingsSaved])
        #expect(saved["identity"]?["traits"]?["email"] == .string(Self.mail))
        #expect(await browser.get("/sessions/whoami").status == 200)
        let returning = try await browser.start(.settings, "?return_to=\(Self.app)")
        let next = ["method": "password", "password": "third-Horse-9-battery"]
        let answer = try await browser.submit(returning, next)
        if format == .page { #expect(answer.location == Self.app) } else { #expect(answer.status == 200) }
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A login that is too old is confirmed first, and leads back to the form`(
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        let browser = TestBrowser(server, as: format)
        try await browser.register()
        server.time.advance(by: .seconds(3601))
        let flow = try await browser.start(.settings)
        let values = ["method": "password", "password": "another-Horse-8-battery"]
        let answer = try await browser.submit(flow, values)
        let address: String
        switch format {
        case .page: address = try #require(answer.location)
        case .json:
            #expect(answer.status == 403)
            #expect(answer.errorID == .sessionRefreshRequired)
            address = try #require(answer["redirect_browser_to"]?.text)
        }
        let back = SelfServiceServer.url + "/a/self-service/settings?flow=" + (flow.flowID ?? "")
        #expect(
            address == SelfServiceServer.url + "/a/self-service/login/browser?refresh=true&return_to="
                + QueryItems.encode(back)
        )
        let login = try await browser.shown(await browser.get(address))
        let confirmed = try await browser.submit(login, TestBrowser.credentials())
        let next = format == .page ? confirmed.location : confirmed.steps.first?["redirect_browser_to"]?.text
        #expect(next == back)
        let page = await browser.get(back)
        #expect(page.page?.1 == flow.flowID)
        let saved = try await browser.submit(await browser.show(.settings, page.page?.1 ?? ""), values)
        #expect(try await browser.shown(saved)["state"] == "success")
    }

    @Test(arguments: ResponseFormat.allCases)
    func `Another user's settings are refused, and a user who is logged out logs in`(
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        let browser = TestBrowser(server, as: format)
        try await browser.register()
        let flow = try await browser.start(.settings)
        let values = ["method": "password", "password": "another-Horse-8-battery"]
        let other = TestBrowser(server, as: format)
        try await other.register(2)
        browser.cookies[TestBrowser.sessionCookie] = other.cookies[TestBrowser.sessionCookie]
        let foreign = try await browser.submit(flow, values)
        browser.cookies[TestBrowser.sessionCookie] = nil
        let anonymous = try await browser.submit(flow, values)
        switch format {
        case .page:
            #expect(foreign.errorPage != nil)
            #expect(anonymous.location == SelfServiceServer.url + "/a/self-service/login/browser")
        case .json:
            #expect(foreign.errorID == .identityMismatch)
            #expect(anonymous.errorID == .sessionInactive)
        }
    }
}
