import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth
@testable import LatchkeySelfService

/// Pages of errors within the request of a client and outside of one.
@Suite("Error pages", .onEachDatabase)
struct ErrorPageTests {
    private static let mail = "person1@example.org"
    private static let login = [
        "identifier": mail, "password": SelfServiceServer.password, "method": "password",
    ]

    private let database: FailingDatabase
    private let server: ProviderServer
    private let shop: RelyingParty

    init() async throws {
        let time = VirtualTime()
        database = FailingDatabase(try await TestDatabase.current.open(time: time))
        server = try await ProviderServer(over: database) { $0.limits = LimitSettings() }
        shop = try await server.client()
    }

    // MARK: Table

    private enum Link: Hashable {
        case form, continuation, flowStart, login, welcome, none
    }

    /// The title of an error's page, and where its link leads within a request and outside of one.
    ///
    /// `start` is the link if the flow couldn't be started.
    private static func row(
        _ error: BrowserError
    ) -> (title: String, within: Link, start: Link, outside: Link) {
        switch error {
        case .csrfViolation, .logoutForbidden: ("This form is no longer valid", .form, .continuation, .form)
        case .returnToForbidden: ("This link is not allowed", .continuation, .continuation, .welcome)
        case .flowNotFound: ("We cannot find this page", .form, .flowStart, .form)
        case .flowDisabled: ("You cannot create an account here", .login, .login, .login)
        case .loggedOut, .firstFactorRequired: ("You are signed out", .continuation, .continuation, .welcome)
        case .otherIdentity: ("This page belongs to another account", .continuation, .continuation, .welcome)
        case .appRequired: ("Sign in with the app", .login, .login, .login)
        case .addressNotVerified, .deliveryFailed: ("We cannot send you a code", .form, .flowStart, .form)
        case .refreshRequired: ("This form is no longer valid", .form, .continuation, .form)
        case .schemaRemoved, .unavailable, .failed: ("Something went wrong", .form, .flowStart, .form)
        case .tooManyRequests: ("Too many attempts", .form, .flowStart, .form)
        case .tooLarge: ("We cannot process this form", .form, .flowStart, .form)
        case .stepRequired: ("There is something to do first", .form, .flowStart, .form)
        // The client's request was accepted when it was stored.
        case .malformed: ("We cannot process this form", .form, .flowStart, .none)
        // The answer to such an error is that there is no request.
        case .loginChallengeInvalid: ("This request has expired", .none, .none, .none)
        }
    }

    private func address(of error: BrowserError, _ rest: String = "") -> String {
        let errors = BrowserErrors(secrets: server.people.resources.secrets, random: SystemRandom())
        return "/error?id=\(errors.id(for: error, at: server.time.now))" + rest
    }

    private func href(_ link: Link, flow: String, challenge: String?) -> String? {
        let url = SelfServiceServer.url
        let suffix = challenge.map { "?login_challenge=" + $0 } ?? ""
        return switch link {
        case .form: url + "/login?flow=" + flow
        case .continuation: url + Route.authorizationContinuation + suffix
        case .flowStart, .login: url + "/login" + suffix
        case .welcome: url + "/welcome"
        case .none: nil
        }
    }

    @Test(arguments: BrowserError.allCases)
    func `Every error within a request names the client, leads back to its form and can be cancelled`(
        error: BrowserError
    ) async throws {
        let row = Self.row(error)
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address())
        let (flow, challenge) = (try visitor.flow, try visitor.challenge)
        let situations = [
            ("&kind=login&flow=" + flow, row.within), ("&kind=login&login_challenge=" + challenge, row.start),
        ]
        for (rest, link) in situations {
            try await visitor.open(address(of: error, rest))
            #expect(visitor.title == row.title)
            #expect(visitor.response.status == error.error.status)
            let href = href(link, flow: flow, challenge: challenge)
            #expect(visitor.links.map(\.href) == [href].compactMap { $0 }, "\(rest)")
            guard error != .loginChallengeInvalid else {
                #expect(!visitor.isWithinRequest)
                continue
            }
            #expect(visitor.text.contains("Then you can continue to <bdi>The Shop</bdi>."))
            let refusal = SelfServiceServer.url + Route.authorizationRefusal + "?login_challenge=" + challenge
            #expect(try visitor.form(with: [:]).action == refusal)
            #expect(try visitor.form(with: [:]).fields.map(\.0) == ["csrf_token"])
            #expect(visitor.response.headers["Referrer-Policy"] == "same-origin")
            #expect(visitor.response.headers["Cache-Control"] == "no-store")
        }
    }

    @Test(arguments: BrowserError.allCases)
    func `Every error outside of a request names no client and leads back to its form`(
        error: BrowserError
    ) async throws {
        let row = Self.row(error)
        let visitor = PageVisitor(server.people)
        try await visitor.open("/login?return_to=/welcome")
        let flow = try visitor.flow
        for (rest, isKnown) in [("&kind=login&flow=" + flow, true), ("", false), ("&kind=x&flow=x", false)] {
            try await visitor.open(address(of: error, rest))
            #expect(visitor.title == (error == .malformed ? "This app cannot sign you in" : row.title))
            #expect(!visitor.isWithinRequest)
            let link = isKnown || row.outside != .form ? row.outside : .welcome
            #expect(visitor.links.map(\.href) == [href(link, flow: flow, challenge: nil)].compactMap { $0 })
        }
    }

    // MARK: Journeys

    /// Asks for a code, and then for another one at once.
    private func askTwice(_ visitor: PageVisitor, for mail: String = mail) async throws {
        try await visitor.submit(["identifier": mail, "method": "code"])
        #expect(visitor.field("code") != nil, "\(visitor.summary)")
        try await visitor.submit(["method": "code", "resend": "code"])
        #expect(visitor.path == "/error", "\(visitor.summary)")
        #expect(visitor.response.status == 429)
    }

    @Test func `A user who asks for two codes at once goes back and enters the earlier one`() async throws {
        try await server.people.register()
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address())
        try await askTwice(visitor)
        #expect(visitor.text.contains("Please wait <bdi>30 seconds</bdi> and try again."))
        #expect(visitor.response.headers["Retry-After"] == "30")
        try await visitor.open(try #require(visitor.links.first?.href))
        #expect(visitor.title == "Enter the code")
        #expect(visitor.text.contains("Enter the code from the e-mail to <bdi>person1@example.org</bdi>."))
        let code = try await server.people.inbox.code(for: Self.mail).exposed
        try await visitor.submit(["method": "code", "code": code])
        if visitor.isQuestion { try await visitor.submit(["decision": "approve"]) }
        _ = try shop.code(of: visitor)
    }

    @Test func `A user who waits can ask for another code on the way back`() async throws {
        try await server.people.register()
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address())
        try await askTwice(visitor)
        let href = try #require(visitor.links.first?.href)
        server.time.advance(by: .seconds(30))
        try await visitor.open(href)
        try await visitor.submit(["method": "code", "resend": "code"])
        #expect(visitor.title == "Enter the code", "\(visitor.summary)")
    }

    @Test func `The page of a limit counts down`() async throws {
        let visitor = PageVisitor(server.people)
        let errors = BrowserErrors(secrets: server.people.resources.secrets, random: SystemRandom())
        let id = errors.id(for: .tooManyRequests, retryAfter: 120, at: server.time.now)
        for (time, text) in [(0, "2 minutes"), (60, "60 seconds"), (50, "10 seconds")] {
            server.time.advance(by: .seconds(time))
            try await visitor.open("/error?id=\(id)")
            #expect(visitor.text.contains("Please wait <bdi>\(text)</bdi> and try again."))
        }
        server.time.advance(by: .seconds(10))
        try await visitor.open("/error?id=\(id)")
        #expect(visitor.text.contains("You can try again now."))
        #expect(visitor.response.headers["Retry-After"] == "0")
    }

    @Test func `A user who cancels on the page of an error returns to the client`() async throws {
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address())
        let challenge = try visitor.challenge
        try await askTwice(visitor)
        try await visitor.submit([:])
        let parameters = try #require(shop.parameters(of: visitor), "\(visitor.summary)")
        #expect(parameters["error"] == "access_denied")
        #expect(parameters["state"] == "the state")
        #expect(parameters["iss"] == ProviderServer.issuer)
        // The request has ended, so no page names it any more.
        try await visitor.open(address(of: .tooManyRequests, "&kind=login&login_challenge=" + challenge))
        #expect(!visitor.isWithinRequest)
    }

    @Test func `The page of an error is in the language that the client asks for`() async throws {
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address(["ui_locales": "nb"]))
        try await askTwice(visitor)
        #expect(visitor.response.headers["Content-Language"] == "nb")
        #expect(visitor.text.contains("Vent <bdi>30 sekunder</bdi>, og prøv igjen."))
    }

    private enum Fault: CaseIterable {
        case wrongToken, tooLarge, unreadableFlow, recoveryCodeTooSoon, signUpCodeTooSoon, disabledMethod
    }

    /// Makes an error in a flow, and returns the kind of the flow.
    private func make(_ fault: Fault, by visitor: PageVisitor) async throws -> FlowKind {
        switch fault {
        case .wrongToken: try await visitor.submit(Self.login.merging(["csrf_token": "x"]) { $1 })
        case .tooLarge: try await visitor.submit(["identifier": String(repeating: "a", count: 70_000)])
        case .disabledMethod:
            try await visitor.submit(["method": "password", "identifier": "a", "password": "b"])
        case .unreadableFlow:
            database.fail(reads: 1, transactions: [])
            try await visitor.submit(Self.login)
        case .recoveryCodeTooSoon:
            try await visitor.open(try #require(visitor.links.first { $0.href.contains("/recovery") }?.href))
            for _ in 0..<2 { try await visitor.submit(["email": Self.mail, "method": "code"]) }
            return .recovery
        case .signUpCodeTooSoon:
            try await visitor.open(
                try #require(visitor.links.first { $0.href.contains("/registration") }?.href)
            )
            let values = ["traits.email": Self.mail, "traits.phone": "+46701000001", "method": "code"]
            try await visitor.submit(values)
            try await visitor.submit(["method": "code", "resend": "code"])
            return .registration
        }
        return .login
    }

    @Test(arguments: Fault.allCases, [true, false])
    private func `A form that fails leads back to itself`(fault: Fault, isWithin: Bool) async throws {
        let server = try await self.server.another {
            $0.limits = LimitSettings()
            if fault == .disabledMethod { $0.passwords.isLoginEnabled = false }
        }
        let shop = self.shop.connected(to: server)
        let visitor = PageVisitor(server.people)
        try await visitor.open(isWithin ? shop.address() : "/login?return_to=/sessions")
        let kind = try await make(fault, by: visitor)
        #expect(visitor.path == "/error", "\(visitor.summary)")
        #expect(visitor.isWithinRequest == isWithin)
        let links = visitor.links
        #expect(links.count == 1)
        try await visitor.open(try #require(links.first?.href))
        #expect(visitor.path == "/\(kind.rawValue)", "\(visitor.summary)")
        #expect(visitor.response.status == 200)
        #expect(visitor.text.contains("The Shop") == isWithin)
        #expect(visitor.text.contains("login_challenge=") == isWithin)
        #expect(visitor.text.contains("return_to=") != isWithin)
    }

    private enum QuestionFault: CaseIterable {
        case wrongToken, noDecision, tooLarge, otherSite, unavailable
    }

    @Test(arguments: QuestionFault.allCases)
    private func `A question that fails leads back to the request`(fault: QuestionFault) async throws {
        let visitor = try await server.signedUp()
        try await visitor.open(shop.address())
        #expect(visitor.isQuestion)
        let challenge = try #require(visitor.field("login_challenge"))
        switch fault {
        case .wrongToken: try await visitor.submit(["csrf_token": "x", "decision": "approve"])
        case .noDecision: try await visitor.submit([:])
        case .tooLarge: try await visitor.submit(["decision": String(repeating: "a", count: 5000)])
        case .otherSite: try await visitor.submit(["decision": "refuse", "csrf_token": ""])
        case .unavailable:
            database.fail(reads: 0, transactions: [true])
            try await visitor.submit(["decision": "approve"])
        }
        #expect(visitor.response.status >= 400, "\(visitor.summary)")
        #expect(visitor.isWithinRequest)
        #expect(
            visitor.links.map(\.href) == [
                SelfServiceServer.url + Route.authorizationContinuation + "?login_challenge=" + challenge
            ]
        )
        let copy = PageVisitor(copying: visitor)
        try await visitor.open(try #require(visitor.links.first?.href))
        #expect(visitor.isQuestion)
        try await copy.submit([:])
        #expect(shop.parameters(of: copy)?["error"] == "access_denied")
    }

    @Test func `A refusal that fails can be repeated`() async throws {
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address())
        let challenge = try visitor.challenge
        let refusal = SelfServiceServer.url + Route.authorizationRefusal + "?login_challenge=" + challenge
        try await visitor.submit(["csrf_token": "x"], to: refusal)
        #expect(visitor.response.status == 403)
        #expect(visitor.isWithinRequest)
        try await visitor.submit([:])
        #expect(shop.parameters(of: visitor)?["error"] == "access_denied")
    }

    @Test func `A sign-up that is closed leads to the login of the same request`() async throws {
        let closed = try await server.another { $0.registration.isEnabled = false }
        let shop = self.shop.connected(to: closed)
        let visitor = PageVisitor(closed.people)
        try await visitor.open(shop.address(["prompt": "create"]))
        #expect(visitor.title == "You cannot create an account here", "\(visitor.summary)")
        #expect(visitor.isWithinRequest)
        try await visitor.open(try #require(visitor.links.first?.href))
        #expect(visitor.path == "/login")
        #expect(visitor.text.contains("Sign in to continue to <bdi>The Shop</bdi>."))
    }

    @Test func `A request that can't be stored yet is repeated at its own address`() async throws {
        let busy = try await server.another {
            $0.limits.authorizationsPerAddress = [Rate(1, per: .seconds(60))]
        }
        let shop = self.shop.connected(to: busy)
        let visitor = PageVisitor(busy.people)
        try await visitor.open(shop.address())
        try await visitor.open(shop.address())
        #expect(visitor.response.status == 429)
        #expect(visitor.text.contains("Please wait <bdi>60 seconds</bdi> and try again."))
        #expect(visitor.links.map(\.href) == [SelfServiceServer.url + shop.address()])
        busy.time.advance(by: .seconds(60))
        try await visitor.open(try #require(visitor.links.first?.href))
        #expect(visitor.path == "/login")
    }

    @Test func `A form leads back to itself even if the database can't be read`() async throws {
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address())
        let flow = try visitor.flow
        database.fail(reads: 1, transactions: [])
        try await visitor.open(address(of: .failed, "&kind=login&flow=" + flow))
        #expect(visitor.response.status == 500)
        #expect(!visitor.isWithinRequest)
        try await visitor.open(try #require(visitor.links.first?.href))
        #expect(visitor.text.contains("The Shop"))
    }

    // MARK: Attacks

    @Test func `An address of an error shows no request of another browser`() async throws {
        let owner = PageVisitor(server.people)
        try await owner.open(shop.address())
        let (flow, challenge) = (try owner.flow, try owner.challenge)
        let visitors = [PageVisitor(server.people), PageVisitor(server.people)]
        // The second one has a request of its own.
        try await visitors[1].open(shop.address())
        for visitor in visitors {
            for rest in ["&kind=login&flow=" + flow, "&kind=login&login_challenge=" + challenge] {
                try await visitor.open(address(of: .tooManyRequests, rest))
                #expect(!visitor.isWithinRequest)
                #expect(visitor.links.map(\.href) == [SelfServiceServer.url + "/welcome"])
                #expect(!visitor.text.contains(flow) && !visitor.text.contains(challenge))
            }
        }
    }

    @Test func `An address of an error leads to pages of the server only`() async throws {
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address())
        let flow = try visitor.flow
        let evil = QueryItems.encode("https://evil.example/")
        let rests = [
            "&kind=\(evil)&flow=" + flow, "&kind=login&flow=\(evil)", "&kind=error&flow=" + flow,
            "&kind=login&login_challenge=\(evil)", "&return_to=\(evil)", "&kind=welcome&flow=" + flow,
            "&kind=recovery&flow=" + flow, "&kind=login&flow=\(flow)%26return_to=\(evil)",
        ]
        for rest in rests {
            try await visitor.open(address(of: .tooManyRequests, rest))
            #expect(visitor.response.status == 429)
            #expect(visitor.links.map(\.href) == [SelfServiceServer.url + "/welcome"], "\(rest)")
            #expect(!visitor.text.contains("evil"), "\(rest)")
        }
    }

    @Test func `The address of an error contains ids only`() async throws {
        let browser = TestBrowser(server.people)
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address(["login_hint": Self.mail]))
        browser.cookies = visitor.browser.cookies
        let (action, fields) = try visitor.form(with: Self.login.merging(["csrf_token": "x"]) { $1 })
        let location = try #require(await browser.post(action, form: fields).location)
        let names = try #require(location.split(separator: "?").last).split(separator: "&").map {
            String($0.prefix { $0 != "=" })
        }
        #expect(names == ["id", "kind", "flow"])
        #expect(location.hasSuffix("&kind=login&flow=" + (try visitor.flow)))
    }

    @Test func `The page of a limit doesn't reveal whether an account exists`() async throws {
        try await server.people.register()
        var pages: [String] = []
        for mail in [Self.mail, "unknown@example.org"] {
            let visitor = PageVisitor(server.people)
            try await visitor.open(shop.address())
            try await askTwice(visitor, for: mail)
            let page = visitor.text.replacing(#/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/#, with: "ID")
                .replacing(#/name="csrf_token" value="[^"]*"/#, with: "TOKEN")
                .replacing(#/Reference number: .*?<\/p>/#, with: "REFERENCE")
            pages.append(page)
        }
        #expect(pages[0] == pages[1])
    }

    @Test func `A browser that has logged in since still belongs to the request`() async throws {
        try await server.people.register()
        let visitor = PageVisitor(server.people)
        try await visitor.open(shop.address(["prompt": "consent"]))
        let (flow, challenge) = (try visitor.flow, try visitor.challenge)
        try await visitor.submit(Self.login)
        #expect(visitor.isQuestion, "\(visitor.summary)")
        try await visitor.open(address(of: .csrfViolation, "&kind=login&flow=" + flow))
        #expect(visitor.isWithinRequest)
        #expect(
            visitor.links.map(\.href) == [
                SelfServiceServer.url + Route.authorizationContinuation + "?login_challenge=" + challenge
            ]
        )
        try await visitor.open(try #require(visitor.links.first?.href))
        #expect(visitor.isQuestion)
    }

    // MARK: Two codes

    @Test func `After a sign-up with two addresses, the page says which message has the code`() async throws {
        let server = try await SelfServiceServer { $0.registration.sendsVerification = true }
        let visitor = PageVisitor(server)
        try await visitor.open("/registration")
        try await visitor.submit([
            "traits.email": Self.mail, "traits.phone": "+46701000001",
            "password": SelfServiceServer.password, "method": "password",
        ])
        #expect(visitor.path == "/verification")
        let hint = "Enter the code from the text message to <bdi>+46701000001</bdi>."
        #expect(visitor.text.contains(hint), "\(visitor.summary)")
        // A code was sent to both, and each belongs to a flow of its own.
        let mailed = try await server.inbox.code(for: Self.mail).exposed
        let texted = try await server.inbox.code(for: "+46701000001").exposed
        if mailed != texted {
            try await visitor.submit(["method": "code", "code": mailed])
            #expect(visitor.title.contains("This code is incorrect"))
            #expect(visitor.text.contains(hint))
        }
        try await visitor.submit(["method": "code", "code": texted])
        #expect(visitor.title == "Confirmed")
        #expect(!visitor.text.contains("Enter the code from"))
    }
}

extension PageVisitor {
    /// The links of the page with their texts.
    fileprivate var links: [(href: String, label: String)] {
        text.matches(of: #/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/#).map { match in
            (String(match.output.1).replacing("&amp;", with: "&"), String(match.output.2))
        }
    }

    /// Whether the page names the client and offers to cancel.
    fileprivate var isWithinRequest: Bool {
        let parts = [text.contains("The Shop"), text.contains(">Cancel<")]
        #expect(Set(parts).count == 1, "\(summary)")
        return parts[0]
    }

    /// The id of the flow whose form the page shows.
    fileprivate var flow: String {
        get throws {
            try String(
                #require(text.firstMatch(of: #/action="[^"]*[?]flow=([^"&]*)/#), "\(summary)").output.1
            )
        }
    }

    /// The id of the authorization request to which the page belongs.
    fileprivate var challenge: String {
        get throws {
            try String(#require(text.firstMatch(of: #/login_challenge=([^"&]*)/#), "\(summary)").output.1)
        }
    }
}
