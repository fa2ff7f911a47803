import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// Sign-ups that open no session, and end with a link that leads back to the app.
@Suite("Sign-ups by mailed link", .onEachDatabase)
struct LinkSignUpTests {
    let site: LinkServer

    init() async throws {
        site = try await LinkServer()
    }

    var server: ProviderServer { site.server }
    var people: SelfServiceServer { site.people }

    // MARK: The way of an honest user

    @Test func `A user signs up, confirms, opens the app, and gets a session`() async throws {
        let flow = await site.begin()
        #expect(flow["oauth2_login_request"]?["client"]?["client_id"] == "news")
        let signUp = try await site.signUp()
        let mail = try #require(people.inbox.messages(for: LinkServer.mail).last)
        #expect(mail.template == "sign_up_link")
        #expect(mail.body.exposed.contains("go back to the app from there"))
        let page = try await signUp.opened()
        #expect(page.text.contains("It was requested for <bdi>The Shop</bdi>."), "\(page.summary)")
        #expect(page.text.contains("This was requested on "))
        #expect(page.text.contains("It came from the network "))
        try await page.confirm()
        #expect(page.title.contains("Your address is confirmed"), "\(page.summary)")
        #expect(page.text.contains("Open <bdi>The Shop</bdi>"))
        #expect(!page.browser.isLoggedIn)
        // The redirection to the private scheme would be blocked by form-action.
        #expect(page.response.headers["Content-Security-Policy"]?.contains("form-action") == false)
        #expect(try await server.count("grants") == 0)
        try await page.openApp()
        let code = try site.news.code(of: page)
        let tokens = try await site.redeem(code)
        #expect(tokens.status == 200, "\(tokens.body)")
        #expect(tokens.idClaims["sub"]?.text == "\(signUp.account)")
        #expect(tokens.idClaims["email"]?.text == LinkServer.mail)
        #expect(tokens.idClaims["email_verified"] == true)
        let session = try await site.exchange(tokens)
        #expect(session.status == 200, "\(session.body)")
        #expect(await people.isAlive(session.accessToken))
        #expect(try await people.recipients(of: .deviceAdded) == [])
        #expect(try await signUp.standing() == .init(password: true, isProven: true, isConfirmed: true))
    }

    @Test func `The code that is entered in the app answers with a code for the verifier`() async throws {
        let signUp = try await site.signUp()
        let done = try await people.submitCode(.verification, signUp.flow, ["code": .string(signUp.code)])
        #expect(done["state"] == "passed_challenge", "\(done.body)")
        let address = try #require(done.steps.first?["redirect_browser_to"]?.text, "\(done.body)")
        #expect(address.hasPrefix(LinkServer.redirect + "?code="))
        let query = QueryItems(String(address.dropFirst(LinkServer.redirect.count + 1)))
        #expect(query["state"] == "the state")
        let tokens = try await site.redeem(try #require(query["code"]))
        #expect(tokens.status == 200, "\(tokens.body)")
        #expect(tokens.idClaims["email_verified"] == true)
        #expect(try await site.exchange(tokens).status == 200)
        let late = try await signUp.opened()
        #expect(late.text.contains("Your address is confirmed"))
        #expect(!late.text.contains("Open <bdi>"))
    }

    @Test func `A mail that is sent again leads back as well`() async throws {
        let signUp = try await site.signUp()
        await people.messagesAreSent()
        server.time.advance(by: .seconds(61))
        let sent = try await people.submitCode(
            .verification,
            signUp.flow,
            ["email": .string(LinkServer.mail)]
        )
        #expect(sent["state"] == "sent_email")
        let visitor = try await signUp.confirmed(try await site.link())
        try await visitor.openApp()
        #expect(try await site.redeem(try site.news.code(of: visitor)).status == 200)
    }

    @Test func `A user whose app didn't open presses the button again, and only the latest code works`()
        async throws
    {
        let signUp = try await site.signUp()
        let page = try await signUp.opened()
        let again = PageVisitor(copying: page)
        try await page.confirm()
        // A user who clicks twice only sees the second response.
        try await again.confirm()
        #expect(again.text.contains("Open <bdi>The Shop</bdi>"), "\(again.summary)")
        try await page.openApp()
        try await again.openApp()
        let first = try site.news.code(of: page)
        #expect(try await site.redeem(first).oauthError == "invalid_grant")
        #expect(try await site.redeem(try site.news.code(of: again)).status == 200)
        #expect(try await server.count("grants") == 1)
    }

    @Test func `An unverified address that logs in gets a link that leads back`() async throws {
        let site = try await LinkServer { $0.login.verifiedAddress = .required }
        let signUp = try await site.signUp()
        let server = site.server
        server.time.advance(by: .seconds(7200))
        let flow = await site.begin(.login, site.query(["identity_schema": nil]))
        let body: JSONValue = .object([
            "method": "password", "identifier": .string(LinkServer.mail),
            "password": .string(SelfServiceServer.password),
        ])
        let refused = try await site.people.submit(.login, flow.flowID ?? "none", body)
        #expect(refused.status == 403)
        #expect(refused.errorID == .verifiedAddressRequired)
        let visitor = try await signUp.confirmed(try await site.link())
        try await visitor.openApp()
        let tokens = try await site.redeem(try site.news.code(of: visitor))
        #expect(tokens.status == 200, "\(tokens.body)")
        #expect(tokens.idClaims["email_verified"] == true)
    }

    @Test func `A user who signs up again with the same password gets the mail again`() async throws {
        let first = try await site.signUp()
        await people.messagesAreSent()
        server.time.advance(by: .seconds(61))
        let second = try await site.signUp()
        #expect(second.account == first.account)
        #expect(second.link != first.link)
        let page = try await second.confirmed()
        try await page.openApp()
        #expect(try await site.redeem(try site.news.code(of: page)).status == 200)
        #expect(try await people.count("identities") == 1)
        // The account is confirmed, so the same sign-up is refused as any other.
        let third = try await site.submit(await site.begin())
        #expect(third.status == 400)
        #expect(third.messages == [.duplicateIdentifier])
        #expect(third.node("code") == nil)
    }

    @Test func `Wrong passwords in a repeated sign-up count as failed logins`() async throws {
        let site = try await LinkServer {
            $0.limits.freeFailures = 3
            $0.limits.firstWait = .seconds(3600)
            $0.limits.longestWait = .seconds(3600)
        }
        let signUp = try await site.signUp()
        for _ in 0..<3 {
            let refused = try await site.submit(await site.begin(), password: "another-Horse-8-battery")
            #expect(refused.status == 400)
            #expect(refused.node("code") != nil)
        }
        let actions = try await site.people.actions(of: signUp.account)
        #expect(actions.count { $0 == .loginFailed } == 1, "\(actions)")
        #expect(try await site.people.login(LinkServer.mail).status == 429)
        // The right password isn't checked any more, and the answer stays the same.
        let refused = try await site.submit(await site.begin())
        #expect(refused.status == 400)
        #expect(refused.node("code") != nil)
    }

    // MARK: Ownership

    enum Event: String, CaseIterable, Sendable {
        case confirmedHere, confirmedElsewhere, scanned, confirmedTwice, late, disowned
        case codeLoginBeforeReturn, codeLoginAfterReturn, codeInApp
    }

    @Test(arguments: [
        (Event.confirmedHere, LinkSignUp.Standing(password: true, isProven: true, isConfirmed: true)),
        (.confirmedElsewhere, .init(password: true, isProven: true, isConfirmed: false)),
        (.scanned, .init(password: true, isProven: false, isConfirmed: false)),
        (.confirmedTwice, .init(password: true, isProven: true, isConfirmed: true)),
        (.late, .init(password: true, isProven: false, isConfirmed: false)),
        (.disowned, .init(password: false, isProven: false, isConfirmed: false)),
        (.codeLoginBeforeReturn, .init(password: false, isProven: true, isConfirmed: true)),
        (.codeLoginAfterReturn, .init(password: true, isProven: true, isConfirmed: true)),
        (.codeInApp, .init(password: true, isProven: true, isConfirmed: true)),
    ])
    func `An honest user's account is verified at clients only after a proof from inside or a code login`(
        event: Event,
        expected: LinkSignUp.Standing
    )
        async throws
    {
        let signUp = try await site.signUp()
        switch event {
        case .confirmedHere: #expect(try await site.redeem(try await signUp.returned()).status == 200)
        case .confirmedElsewhere: _ = try await signUp.confirmed()
        case .scanned:
            for method in [HTTP.Method.get, .head] {
                await TestBrowser(people).get(signUp.link, method: method)
            }
            _ = try await signUp.opened()
        case .confirmedTwice:
            let code = try await signUp.returned()
            _ = try await signUp.opened()
            #expect(try await site.redeem(code).status == 200)
        case .late:
            server.time.advance(by: .seconds(3601))
            #expect(try await signUp.opened().field("code") == nil)
        case .disowned:
            try await signUp.opened().disown()
            let after = try await signUp.opened()
            #expect(after.response.status == 410, "\(after.summary)")
        case .codeLoginBeforeReturn:
            let page = try await signUp.confirmed()
            _ = try await people.enter(.login, with: LinkServer.mail)
            try await page.openApp()
            #expect(page.location == nil, "\(page.summary)")
        case .codeLoginAfterReturn:
            #expect(try await site.redeem(try await signUp.returned()).status == 200)
            _ = try await people.enter(.login, with: LinkServer.mail)
        case .codeInApp:
            _ = try await people.submitCode(.verification, signUp.flow, ["code": .string(signUp.code)])
        }
        #expect(try await signUp.standing() == expected, "\(event)")
    }

    enum VictimEvent: String, CaseIterable, Sendable {
        case confirms, confirmsAndOpens, disowns, logsIn, confirmsAndLogsIn, signsUp
    }

    /// The attacker has the password and the verifier, and the victim the mail.
    @Test(arguments: [
        (VictimEvent.confirms, LinkSignUp.Standing(password: true, isProven: true, isConfirmed: false)),
        (.confirmsAndOpens, .init(password: true, isProven: true, isConfirmed: false)),
        (.disowns, .init(password: false, isProven: false, isConfirmed: false)),
        (.logsIn, .init(password: false, isProven: true, isConfirmed: true)),
        (.confirmsAndLogsIn, .init(password: false, isProven: true, isConfirmed: true)),
        (.signsUp, .init(password: false, isProven: false, isConfirmed: false)),
    ])
    func `An attacker's account isn't verified at clients while its password works`(
        event: VictimEvent,
        expected: LinkSignUp.Standing
    ) async throws {
        let signUp = try await site.signUp()
        var code: String?
        switch event {
        case .confirms: _ = try await signUp.confirmed()
        // The browser of the victim gets the code, and no app of the victim knows its state.
        case .confirmsAndOpens: code = try await signUp.returned()
        case .disowns: try await signUp.opened().disown()
        case .logsIn: _ = try await people.enter(.login, with: LinkServer.mail)
        case .confirmsAndLogsIn:
            code = try await signUp.returned()
            _ = try await people.enter(.login, with: LinkServer.mail)
        case .signsUp:
            await people.messagesAreSent()
            server.time.advance(by: .seconds(61))
            let flow = await site.begin()
            let asked = try await site.submit(flow, password: "another-Horse-8-battery")
            #expect(asked.status == 400)
            let created = try await site.submit(
                flow,
                password: "another-Horse-8-battery",
                code: try await people.code(for: LinkServer.mail)
            )
            // The code was entered in the app, so no link is needed.
            #expect(created.sessionToken != nil, "\(created.body)")
        }
        let standing = try await signUp.standing()
        #expect(standing == expected, "\(event)")
        #expect(!(standing.password && standing.emailVerified))
        // Even a code that has leaked is useless after the victim's login.
        if event == .confirmsAndLogsIn, let code {
            #expect(try await site.redeem(code).oauthError == "invalid_grant")
        }
    }

    @Test func `The reader of another mail of the flow can't open the app for a victim's confirmation`()
        async throws
    {
        let signUp = try await site.signUp()
        let attacker = "person2@example.org"
        _ = try await people.register(2)
        func send(to mail: String) async throws -> String {
            await people.messagesAreSent()
            server.time.advance(by: .seconds(61))
            _ = try await people.submitCode(.verification, signUp.flow, ["email": .string(mail)])
            return try await site.link(to: mail)
        }
        let stolen = try await signUp.opened(try await send(to: attacker))
        let report = try #require(stolen.text.firstMatch(of: #/formaction="([^"]*)"/#), "\(stolen.summary)")
            .output.1
        let press = try stolen.form(with: ["action": "open"], to: String(report))
        let page = try await signUp.confirmed(try await send(to: LinkServer.mail))
        #expect(page.text.contains("Open <bdi>The Shop</bdi>"), "\(page.summary)")
        let answer = await stolen.browser.post(press.action, form: press.fields)
        #expect(answer.location == nil)
        #expect(try await server.count("grants") == 0)
        try await stolen.open("/verification?flow=" + (stolen.browser.linkPage ?? ""))
        #expect(!stolen.text.contains("Open <bdi>"), "\(stolen.summary)")
    }

    // MARK: Registration of clients

    @Test func `A client with links opens no session for a password, even without the parameters`()
        async throws
    {
        let query = "?client_id=news&identity_schema=reader"
        let created = try await site.submit(await site.begin(.registration, query))
        #expect(created.status == 200)
        #expect(created.sessionToken == nil)
        #expect(created.actions == ["show_verification_ui"])
    }

    @Test func `A closed client registers no users, and logs them in`() async throws {
        _ = try await LinkServer.client("closed", at: server, own: #""sign_up": "closed""#)
        let refused = await site.begin(.registration, "?client_id=closed")
        #expect(refused.status == 400)
        #expect(refused.errorID == .flowDisabled)
        #expect(await site.begin(.login, "?client_id=closed").status == 200)
        let flow = await site.begin()
        try await server.database.transaction { transaction in
            _ = try transaction.execute("DELETE FROM clients WHERE id = 'news'")
        }
        _ = try await LinkServer.client("news", at: server, own: #""sign_up": "closed""#)
        server.time.advance(by: .seconds(10))
        #expect(try await site.submit(flow).errorID == .flowDisabled)
        #expect(try await people.count("identities") == 0)
    }

    @Test func `A request that isn't exact is refused at the start and stores no row`() async throws {
        _ = try await LinkServer.client("guest", at: server, own: "", members: #""skip_consent": true"#)
        let changes: [[String: String?]] = [
            ["redirect_uri": LinkServer.redirect + "2"], ["redirect_uri": nil], ["state": nil],
            ["code_challenge": nil], ["code_challenge_method": "plain"], ["code_challenge": "short"],
            ["client_id": nil], ["client_id": "unknown"], ["client_id": "guest"], ["scope": "unknown"],
            ["request_uri": "urn:ietf:params:oauth:request_uri:x"], ["response_type": "token"],
        ]
        for change in changes {
            #expect(await site.begin(.registration, site.query(change)).status == 400, "\(change)")
        }
        #expect(await site.begin(.recovery, site.query()).status == 400)
        let head = HTTP.Request(
            .head,
            "/a/self-service/registration/api",
            query: String(site.query().dropFirst())
        )
        #expect(await people.send(head).status == 200)
        #expect(try await server.count("authorization_requests") == 0)
    }

    @Test func `Accounts whose devices need a certificate can't be created with a link`() async throws {
        let refused = await site.begin(.registration, site.query(["identity_schema": "customer"]))
        #expect(refused.status == 400, "\(refused.body)")
        #expect(try await server.count("authorization_requests") == 0)
    }

    @Test func `Links need the verification of addresses`() async throws {
        let site = try await LinkServer { $0.verification.isEnabled = false }
        #expect(await site.begin().status == 400)
    }
}

extension TestBrowser {
    /// The id of the page of the link that was opened last.
    fileprivate var linkPage: String? {
        cookies["__Host-latchkey_link"].map { String($0.prefix { $0 != "." }) }
    }
}
