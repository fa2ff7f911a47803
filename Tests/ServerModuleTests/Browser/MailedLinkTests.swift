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

/// Links in mails with codes: opening one changes nothing, and its page has a button.
@Suite("Mailed links", .onEachDatabase)
struct MailedLinkTests {
    private static let mail = "person1@example.org"

    private let server: SelfServiceServer

    init() async throws {
        server = try await SelfServiceServer { $0.codes.isLoginEnabled = true }
    }

    /// Asks for a code in a flow of the browser, and returns the flow and the link in the mail.
    private func send(
        _ kind: FlowKind,
        by browser: TestBrowser,
        to mail: String = mail
    ) async throws -> (flow: Answer, link: String, code: String) {
        let form = try await browser.start(kind)
        let flow = try await browser.shown(
            try await browser.submit(form, ["method": "code", "email": mail])
        )
        let code = try await server.inbox.code(for: mail).exposed
        return (flow, try link(to: mail), code)
    }

    /// Returns the link in the latest mail.
    private func link(to mail: String = mail) throws -> String {
        let message = try #require(server.inbox.messages(for: mail).last)
        let address = #/https:\S+/#
        let link = try #require(message.body.exposed.firstMatch(of: address)).output
        let html = try #require(message.html?.exposed)
        let escaped = link.replacing("&", with: "&amp;")
        #expect(html.contains(#"<a href="\#(escaped)">\#(escaped)</a>"#))
        return String(link)
    }

    // MARK: Mails

    @Test func `Mails for verifications and recoveries contain a link with the flow and the code`()
        async throws
    {
        try await server.register()
        for kind in [FlowKind.verification, .recovery] {
            let (flow, link, code) = try await send(kind, by: TestBrowser(server))
            let start = "\(SelfServiceServer.url)/a/self-service/\(kind.rawValue)?flow="
            #expect(link.hasPrefix(start + (flow.flowID ?? "") + "&code=" + code + "&proof="))
            server.time.advance(by: .seconds(61))
        }
    }

    @Test func `Mails with login codes and text messages contain no link`() async throws {
        try await server.register()
        let browser = TestBrowser(server)
        let login = try await browser.start(.login)
        try await browser.submit(login, ["method": "code", "identifier": Self.mail])
        _ = try await server.inbox.code(for: Self.mail)
        let phone = "+46701000001"
        let verification = try await browser.start(.verification)
        try await browser.submit(verification, ["method": "code", "email": phone])
        _ = try await server.inbox.code(for: phone)
        for address in [Self.mail, phone] {
            let message = try #require(server.inbox.messages(for: address).last)
            #expect(!message.body.exposed.contains("http"))
            #expect(message.html?.exposed.contains("href") != true)
        }
    }

    @Test func `A recovery in the app of an account that requires a certificate mails no link`() async throws
    {
        let server = try await SelfServiceServer(schema: "business")
        let flow = await server.begin(.recovery)
        let answer = try await server.submit(
            .recovery,
            flow,
            .object(["method": "code", "email": "nobody@example.org"])
        )
        #expect(answer.status == 200)
        let bodies = try await server.resources.database.rows("SELECT COUNT(*) FROM messages")
        #expect(try bodies.first?.integer(0) == 1)
    }

    // MARK: Opening

    @Test(arguments: [FlowKind.verification, .recovery], ResponseFormat.allCases)
    func `Opening a link changes nothing on the server, however often and by whomever`(
        kind: FlowKind,
        format: ResponseFormat
    ) async throws {
        try await server.register()
        let own = TestBrowser(server, as: format)
        let (flow, link, code) = try await send(kind, by: own)
        let rows = try await (server.count("flows"), server.count("codes"), server.count("sessions"))
        let scanners: [(HTTP.Method, HTTP.Headers)] = [
            (.get, [:]), (.head, [:]), (.get, ["Sec-Purpose": "prefetch"]), (.get, ["User-Agent": "scanner"]),
        ]
        for (method, headers) in scanners {
            let scanner = TestBrowser(server, as: format)
            let answer = await scanner.get(link, headers: headers, method: method)
            #expect(answer.status == 303)
            #expect(answer.page?.0 == kind)
            #expect(!scanner.isLoggedIn)
            #expect(scanner.cookies.isEmpty == (method == .head))
        }
        #expect(try await server.count("flows") == rows.0)
        #expect(try await server.count("codes") == rows.1)
        #expect(try await server.count("sessions") == rows.2)
        #expect(try await server.provers(of: Self.mail).isEmpty)
        // The user's own page is still usable.
        #expect(await own.show(kind, try #require(flow.flowID))["state"] == "sent_email")
        let done = try await own.submit(flow, ["method": "code", "code": code])
        #expect(own.isLoggedIn == (kind == .recovery))
        #expect(done.errorPage == nil)
    }

    @Test func `The page of a link is filled in with the code and belongs to its browser`() async throws {
        try await server.register()
        let (flow, link, code) = try await send(.verification, by: TestBrowser(server))
        let other = TestBrowser(server)
        let answer = await other.get(link)
        #expect(!(answer.location ?? "").contains(code))
        let page = try await other.shown(answer)
        #expect(page.flowID != flow.flowID)
        #expect(page["type"] == "browser")
        #expect(page["state"] == "sent_email")
        #expect(page.value("code") == .string(code))
        #expect(page.action?.hasSuffix(page.flowID ?? "-") == true)
        let stranger = TestBrowser(server)
        _ = try await stranger.start(.login)
        #expect(await stranger.show(.verification, page.flowID ?? "").status == 403)
    }

    @Test func `A link that is opened where it was asked for leads to the same page`() async throws {
        try await server.register()
        let browser = TestBrowser(server)
        let (flow, link, code) = try await send(.verification, by: browser)
        let page = try await browser.shown(await browser.get(link))
        #expect(page.flowID == flow.flowID)
        #expect(page.value("code") == .string(code))
    }

    @Test(arguments: ResponseFormat.allCases)
    func `A link to an unknown flow or without a code is an error`(format: ResponseFormat) async throws {
        try await server.register()
        let (_, link, code) = try await send(.verification, by: TestBrowser(server))
        let browser = TestBrowser(server, as: format)
        for address in [
            "/self-service/verification?flow=\(Identifier())&code=\(code)",
            String(link.prefix(upTo: link.lastIndex(of: "&") ?? link.endIndex)), link + "A",
            link.replacing(code, with: code == "000000" ? "000001" : "000000"),
            "/self-service/recovery?" + link.split(separator: "?")[1],
            String(link.prefix { $0 != "&" }), link.replacing(code, with: "abc"),
        ] {
            let answer = await browser.get(address)
            if format == .page { #expect(answer.errorPage != nil) } else { #expect(answer.status >= 400) }
            #expect(browser.cookies[Self.linkCookie] == nil)
        }
    }

    private static let linkCookie = "__Host-latchkey_link"

    // MARK: Pressing the button

    @Test(arguments: ResponseFormat.allCases)
    func `The button verifies the address and opens no session`(format: ResponseFormat) async throws {
        try await server.register()
        let own = TestBrowser(server, as: format)
        let (flow, link, code) = try await send(.verification, by: own)
        let other = TestBrowser(server, as: format)
        let page = try await other.shown(await other.get(link))
        let passed = try await other.shown(try await other.submit(page, ["method": "code", "code": code]))
        #expect(passed["state"] == "passed_challenge")
        #expect(passed.flowID == page.flowID)
        #expect(!other.isLoggedIn)
        #expect(try await server.provers(of: Self.mail).count == 1)
        // The end is shared.
        #expect(await own.show(.verification, try #require(flow.flowID))["state"] == "passed_challenge")
        let again = try await own.shown(try await own.submit(flow, ["method": "code", "code": code]))
        #expect(again["state"] != "passed_challenge")
    }

    @Test(arguments: ResponseFormat.allCases)
    func `The session of a recovery belongs to the browser that presses the button`(
        format: ResponseFormat
    ) async throws {
        let token = try #require(try await server.register().sessionToken)
        let own = TestBrowser(server, as: format)
        let (flow, link, code) = try await send(.recovery, by: own)
        let other = TestBrowser(server, as: format)
        let page = try await other.shown(await other.get(link))
        let answer = try await other.submit(page, ["method": "code", "code": code])
        #expect(other.isLoggedIn)
        #expect(!own.isLoggedIn)
        #expect(await server.isAlive(token) == false)
        if format == .page { #expect(answer.page?.0 == .settings) }
        let settings = format == .page ? answer.page?.1 : answer.steps.first?["flow"]?["id"]?.text
        #expect(await other.show(.settings, settings ?? "").messages == [.recovered])
        let late = try await own.shown(try await own.submit(flow, ["method": "code", "code": code]))
        #expect(late.messages == [.recoveryDone])
        #expect(!own.isLoggedIn)
    }

    @Test func `Wrong codes count together, whoever enters them`() async throws {
        try await server.register()
        let own = TestBrowser(server)
        let (flow, link, code) = try await send(.verification, by: own)
        let other = TestBrowser(server)
        let page = try await other.shown(await other.get(link))
        let wrong = code == "000000" ? "000001" : "000000"
        for number in 0..<server.configuration.codes.guesses {
            let (browser, form) = number.isMultiple(of: 2) ? (own, flow) : (other, page)
            try await browser.submit(form, ["method": "code", "code": wrong])
        }
        for (browser, form) in [(own, flow), (other, page)] {
            let answer = try await browser.shown(
                try await browser.submit(form, ["method": "code", "code": code])
            )
            #expect(answer["state"] != "passed_challenge")
        }
        #expect(try await server.provers(of: Self.mail).isEmpty)
    }

    @Test func `A native app's flow can be finished in a browser`() async throws {
        try await server.register()
        let flow = await server.begin(.recovery)
        _ = try await server.submit(
            .recovery,
            flow,
            .object(["method": "code", "email": .string(Self.mail)])
        )
        let code = try await server.inbox.code(for: Self.mail).exposed
        let browser = TestBrowser(server, as: .json)
        let page = try await browser.shown(await browser.get(try link()))
        #expect(page["type"] == "browser")
        let answer = try await browser.submit(page, ["method": "code", "code": code])
        #expect(answer.actions == ["show_settings_ui"])
        #expect(answer.sessionToken == nil)
        #expect(browser.isLoggedIn)
        // The app's own flow is over.
        let late = try await server.submit(
            .recovery,
            flow,
            .object(["method": "code", "code": .string(code)])
        )
        #expect(late.sessionToken == nil)
    }

    @Test func `A form for a link without the token of its browser is refused`() async throws {
        try await server.register()
        let (_, link, code) = try await send(.recovery, by: TestBrowser(server))
        let other = TestBrowser(server, as: .json)
        let page = try await other.shown(await other.get(link))
        let answer = try await other.submit(page, ["method": "code", "code": code], token: "forged")
        #expect(answer.errorID == .csrfViolation)
        #expect(!other.isLoggedIn)
    }

    @Test func `A forged link or cookie opens no other flow`() async throws {
        try await server.register()
        let victim = TestBrowser(server)
        let (flow, link, _) = try await send(.verification, by: victim)
        let attacker = TestBrowser(server)
        let page = try await attacker.start(.verification)
        let proof = link.split(separator: "=").last ?? ""
        for forged in ["\(page.flowID ?? "").\(flow.flowID ?? "").000000", "x", "..."] {
            for suffix in ["", "." + proof, ".AAAAAAAAAAAAAAAAAAAAAA"] {
                attacker.cookies[Self.linkCookie] = forged + suffix
                let shown = await attacker.show(.verification, page.flowID ?? "")
                #expect(shown["state"] == "choose_method")
            }
        }
    }

    @Test func `A browser that has opened a link can only enter the code`() async throws {
        try await server.register()
        let own = TestBrowser(server)
        let (flow, link, code) = try await send(.verification, by: own)
        let other = TestBrowser(server)
        let page = try await other.shown(await other.get(link))
        #expect(!page.fields.contains("email"))
        server.time.advance(by: .seconds(61))
        try await other.submit(page, ["method": "code", "email": "mallory@example.org"])
        #expect(server.inbox.messages(for: "mallory@example.org").isEmpty)
        #expect(await own.show(.verification, flow.flowID ?? "").value("email") == .string(Self.mail))
        let passed = try await own.shown(try await own.submit(flow, ["method": "code", "code": code]))
        #expect(passed["state"] == "passed_challenge")
    }

    @Test func `A cookie that an attacker has planted doesn't turn a link into a proof from inside`()
        async throws
    {
        let server = try await SelfServiceServer { $0.registration.sendsVerification = true }
        let (attacker, id) = try await signUp(at: server)
        _ = try await server.inbox.code(for: Self.mail)
        let message = try #require(server.inbox.messages(for: Self.mail).last)
        let link = String(try #require(message.body.exposed.firstMatch(of: #/https:\S+/#)).output)
        let planted = [TestBrowser.csrfCookie: attacker.cookies[TestBrowser.csrfCookie] ?? ""]
        let victim = TestBrowser(server, cookies: planted)
        let page = try await victim.shown(await victim.get(link))
        try await victim.submit(page, ["method": "code", "code": page.value("code")?.text ?? ""])
        #expect(try await server.provers(of: Self.mail).count == 1)
        #expect(try await server.identity(id).confirmedAt == nil)
    }

    @Test func `Several links can be open in one browser`() async throws {
        try await server.register()
        try await server.register(2)
        let other = TestBrowser(server)
        var pages: [(Answer, String)] = []
        for number in 1...2 {
            let mail = "person\(number)@example.org"
            let (_, link, code) = try await send(.verification, by: TestBrowser(server), to: mail)
            pages.append((try await other.shown(await other.get(link)), code))
        }
        for (page, code) in pages {
            let passed = try await other.shown(
                try await other.submit(page, ["method": "code", "code": code])
            )
            #expect(passed["state"] == "passed_challenge")
        }
    }

    // MARK: Claimed addresses

    /// Signs up with the victim's address as an attacker, and returns the attacker's browser and the account.
    private func signUp(at server: SelfServiceServer) async throws -> (TestBrowser, Identifier) {
        let attacker = TestBrowser(server)
        try await attacker.register()
        let whoami = await attacker.get("/sessions/whoami")
        let id = try #require(whoami["identity"]?["id"]?.text.flatMap { Identifier($0) })
        return (attacker, id)
    }

    @Test func `A victim who confirms a stranger's sign-up gets no session and doesn't confirm the account`()
        async throws
    {
        let server = try await SelfServiceServer {
            $0.registration.sendsVerification = true
            $0.codes.isLoginEnabled = true
        }
        let (attacker, id) = try await signUp(at: server)
        _ = try await server.inbox.code(for: Self.mail)
        let message = try #require(server.inbox.messages(for: Self.mail).last)
        let link = String(try #require(message.body.exposed.firstMatch(of: #/https:\S+/#)).output)
        let victim = TestBrowser(server)
        let page = try await victim.shown(await victim.get(link))
        let code = try #require(page.value("code")?.text)
        let passed = try await victim.shown(try await victim.submit(page, ["method": "code", "code": code]))
        #expect(passed["state"] == "passed_challenge")
        #expect(!victim.isLoggedIn)
        #expect(try await server.identity(id).confirmedAt == nil)
        server.time.advance(by: .seconds(61))
        // The victim's first login with a code takes the account from the attacker.
        let login = try await victim.start(.login)
        let values = ["method": "code", "identifier": Self.mail]
        let sent = try await victim.shown(try await victim.submit(login, values))
        let second = try await server.inbox.code(for: Self.mail).exposed
        try await victim.submit(sent, values.merging(["code": second]) { $1 })
        #expect(victim.isLoggedIn)
        #expect(await attacker.get("/sessions/whoami").status == 401)
    }

    @Test func `A user who confirms a sign-up in the browser of the sign-up confirms the account`()
        async throws
    {
        let server = try await SelfServiceServer { $0.registration.sendsVerification = true }
        let (browser, id) = try await signUp(at: server)
        _ = try await server.inbox.code(for: Self.mail)
        let message = try #require(server.inbox.messages(for: Self.mail).last)
        let link = String(try #require(message.body.exposed.firstMatch(of: #/https:\S+/#)).output)
        let page = try await browser.shown(await browser.get(link))
        let code = try #require(page.value("code")?.text)
        try await browser.submit(page, ["method": "code", "code": code])
        #expect(try await server.identity(id).confirmedAt != nil)
    }
}
