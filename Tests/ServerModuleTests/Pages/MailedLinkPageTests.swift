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

/// The page behind a mailed link in a browser that hasn't asked for it, and its button "This was not me".
@Suite("Pages of mailed links", .onEachDatabase)
struct MailedLinkPageTests {
    private static let mail = "person1@example.org"
    private static let address = ContactAddress(via: .email, value: mail)

    private let server: SelfServiceServer

    init() async throws {
        server = try await SelfServiceServer()
    }

    /// A mailed link, and the browser in which its code was asked for.
    private struct Sent {
        let own: TestBrowser
        let flow: Answer
        let link: String
        let code: String
    }

    /// Asks for a code in a flow that anyone could have started.
    private func send(_ kind: FlowKind) async throws -> Sent {
        let own = TestBrowser(server)
        let form = try await own.start(kind)
        let flow = try await own.shown(
            try await own.submit(form, ["method": "code", "email": Self.mail])
        )
        let code = try await server.inbox.code(for: Self.mail).exposed
        return Sent(own: own, flow: flow, link: try link(of: server), code: code)
    }

    private func link(of server: SelfServiceServer) throws -> String {
        let message = try #require(server.inbox.messages(for: Self.mail).last)
        return String(try #require(message.body.exposed.firstMatch(of: #/https:\S+/#)).output)
    }

    /// Opens a link in another browser.
    private func visit(_ link: String, at server: SelfServiceServer? = nil) async throws -> PageVisitor {
        let visitor = PageVisitor(server ?? self.server)
        try await visitor.open(link)
        return visitor
    }

    /// A server on which a user has signed up in an app, and the mail has come.
    private struct SignUp {
        let server: SelfServiceServer
        let account: Identifier
        let token: String
        let link: String
    }

    private func signUp(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws -> SignUp {
        let server = try await SelfServiceServer {
            $0.registration.sendsVerification = true
            change(&$0)
        }
        let answer = try await server.register()
        _ = try await server.inbox.code(for: Self.mail)
        return SignUp(
            server: server,
            account: try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) }),
            token: try #require(answer.sessionToken),
            link: try link(of: server)
        )
    }

    // MARK: Contents

    @Test(arguments: [FlowKind.verification, .recovery])
    func `The page says when and where the code was asked for, and masks the address`(
        kind: FlowKind
    ) async throws {
        try await server.register()
        let visitor = try await visit(try await send(kind).link)
        #expect(visitor.response.status == 200)
        #expect(visitor.text.contains("p…@example.org"))
        #expect(!visitor.text.contains(Self.mail))
        #expect(visitor.text.contains("This was requested on "))
        #expect(visitor.text.contains("It came from the network <bdi>192.0.0.0/16</bdi>."))
        #expect(visitor.text.contains("This was not me"))
    }

    @Test(arguments: [FlowKind.verification, .recovery])
    func `The form for a code that was deleted shows the address to its owner only`(
        kind: FlowKind
    ) async throws {
        try await server.register()
        let sent = try await send(kind)
        try await server.resources.database.transaction { _ = try $0.execute("DELETE FROM codes") }
        let visitor = try await visit(sent.link)
        #expect(visitor.field("code") != nil, "\(visitor.summary)")
        #expect(!visitor.text.contains(Self.mail))
        let own = await sent.own.get(
            SelfServiceServer.url + "/\(kind.rawValue)?flow=" + (sent.flow.flowID ?? "")
        )
        let hint = "Enter the code from the e-mail to <bdi>\(Self.mail)</bdi>."
        #expect(String(decoding: own.response.body, as: UTF8.self).contains(hint))
    }

    @Test func `The page names the client of an app's recovery`() async throws {
        let admin = try await AdminServer()
        let created = await admin.send(
            .post,
            "/admin/clients",
            #"{"client_id": "shop", "client_name": "The Shop"}"#
        )
        #expect(created.status == 201)
        try await admin.people.register()
        let flow = await admin.people.begin(.recovery, "?client_id=shop")
        _ = try await admin.people.submitCode(.recovery, flow, ["email": .string(Self.mail)])
        _ = try await admin.people.inbox.code(for: Self.mail)
        let visitor = try await visit(try link(of: admin.people), at: admin.people)
        #expect(visitor.text.contains("It was requested for <bdi>The Shop</bdi>."))
    }

    @Test func `The page names the client of another browser's authorization request`() async throws {
        let authorization = TestAuthorization()
        let server = try await SelfServiceServer(authorization: authorization)
        try await server.register()
        let own = TestBrowser(server)
        let request = try await authorization.request(by: own)
        let form = try await own.start(.recovery, "?login_challenge=\(request)")
        try await own.submit(form, ["method": "code", "email": Self.mail])
        _ = try await server.inbox.code(for: Self.mail)
        let visitor = try await visit(try link(of: server), at: server)
        #expect(visitor.text.contains("It was requested for <bdi>The &lt;Shop&gt;</bdi>."))
    }

    @Test func `A link in the browser that has asked for it leads to the page of the flow`() async throws {
        try await server.register()
        let sent = try await send(.verification)
        let page = try await sent.own.shown(await sent.own.get(sent.link))
        let shown = await sent.own.get(SelfServiceServer.url + "/verification?flow=\(page.flowID ?? "")")
        #expect(!String(decoding: shown.response.body, as: UTF8.self).contains("This was not me"))
    }

    // MARK: Reports

    @Test(arguments: [FlowKind.verification, .recovery])
    func `A report ends the flow in all browsers, and keeps the claim of an account that hasn't asked`(
        kind: FlowKind
    ) async throws {
        let account = try #require(try await server.register()["identity"]?["id"]?.text)
        let sent = try await send(kind)
        let visitor = try await visit(sent.link)
        let twin = try await visit(sent.link)
        try await visitor.report()
        #expect(visitor.title.hasPrefix("Thank you for telling us"))
        #expect(visitor.response.status == 200)
        // The other browsers can't use the code any more.
        let late = try await sent.own.shown(
            try await sent.own.submit(sent.flow, ["method": "code", "code": sent.code])
        )
        #expect(late["state"] == "choose_method")
        #expect(!sent.own.isLoggedIn)
        try await twin.report()
        #expect(twin.title.hasPrefix("This link has already been used"))
        let again = try await visit(sent.link)
        #expect(again.title.hasPrefix("This link has already been used"))
        let id = try #require(Identifier(account))
        #expect(try await server.identity(id).addresses.contains(Self.address))
        let actions = try await server.actions(of: id)
        #expect(actions.contains(.linkReported))
        #expect(!actions.contains(.addressReleased))
        // The owner can ask again.
        server.time.advance(by: .seconds(61))
        let next = try await send(kind)
        try await next.own.submit(next.flow, ["method": "code", "code": next.code])
        #expect(next.own.isLoggedIn == (kind == .recovery))
        #expect(try await server.provers(of: Self.mail) == [id])
    }

    @Test func `A report takes an address from an account that has claimed it in a sign-up`() async throws {
        let account = try await signUp()
        let server = account.server
        try await visit(account.link, at: server).report()
        let identity = try await server.identity(account.account)
        #expect(!identity.addresses.contains(Self.address))
        #expect(identity.addresses.count == 1)
        #expect(try await server.login(Self.mail).status == 400)
        #expect(await server.isAlive(account.token))
        let actions = try await server.actions(of: account.account)
        #expect(actions.contains(.linkReported) && actions.contains(.addressReleased))
        #expect(!actions.contains(.noticeSent))
        // The owner of the address can sign up with it.
        let traits: JSONValue = .object(["email": .string(Self.mail), "phone": "+46701000002"])
        let answer = try await server.submit(
            .registration,
            await server.begin(.registration),
            .object(["method": "password", "password": .string(SelfServiceServer.password), "traits": traits])
        )
        #expect(answer.status == 200)
    }

    @Test func `A user who has pressed the button by mistake can claim the address again`() async throws {
        let account = try await signUp()
        let server = account.server
        try await visit(account.link, at: server).report()
        server.time.advance(by: .seconds(61))
        let traits: [String: JSONValue] = ["email": .string(Self.mail), "phone": "+46701000001"]
        #expect(try await server.change(traits: traits, token: account.token).status == 200)
        #expect(try await server.identity(account.account).addresses.contains(Self.address))
        _ = try await server.enter(.verification, with: Self.mail, token: account.token)
        #expect(try await server.provers(of: Self.mail) == [account.account])
    }

    @Test func `A report doesn't take an address that is proven`() async throws {
        let account = try await signUp()
        _ = try await account.server.enter(.verification, with: Self.mail, token: account.token)
        #expect(try await account.server.provers(of: Self.mail) == [account.account])
        let visitor = try await visit(account.link, at: account.server)
        try await visitor.report()
        #expect(visitor.title.hasPrefix("Thank you for telling us"))
        #expect(try await account.server.provers(of: Self.mail) == [account.account])
        #expect(try await account.server.login(Self.mail).status == 200)
    }

    // MARK: Abuse

    @Test func `Programs that open the page change nothing`() async throws {
        let account = try await signUp()
        let visitor = try await visit(account.link, at: account.server)
        let page = SelfServiceServer.url + "/verification?flow=\(try #require(visitor.flow))"
        let requests: [(HTTP.Method, HTTP.Headers)] = [
            (.get, [:]), (.head, [:]), (.get, ["Sec-Purpose": "prefetch"]),
        ]
        for (method, headers) in requests {
            await visitor.browser.get(page, headers: headers, method: method)
        }
        #expect(try await account.server.identity(account.account).addresses.contains(Self.address))
        try await visitor.submit(["method": "code"])
        #expect(try await account.server.provers(of: Self.mail) == [account.account])
    }

    @Test func `A report without the token of its browser has no effect`() async throws {
        let account = try await signUp()
        let visitor = try await visit(account.link, at: account.server)
        try await visitor.report(["csrf_token": "forged"])
        #expect(visitor.response.status == 403)
        #expect(try await account.server.identity(account.account).addresses.contains(Self.address))
    }

    @Test func `A browser that hasn't opened the link can't report it`() async throws {
        try await server.register()
        let sent = try await send(.verification)
        let visitor = try await visit(sent.link)
        let stranger = PageVisitor(server)
        try await stranger.open("/verification")
        let pages = [try #require(visitor.flow), try #require(sent.flow.flowID), try #require(stranger.flow)]
        for flow in pages {
            try await stranger.open("/verification")
            try await stranger.submit(
                ["code": sent.code],
                to: SelfServiceServer.url + "/verification?flow=\(flow)"
            )
            #expect([403, 404].contains(stranger.response.status))
        }
        try await sent.own.submit(sent.flow, ["method": "code", "code": sent.code])
        #expect(try await server.provers(of: Self.mail).count == 1)
    }

    @Test func `A report with a wrong code counts as a guess and has no effect`() async throws {
        try await server.register()
        let sent = try await send(.verification)
        let visitor = try await visit(sent.link)
        let page = PageVisitor(copying: visitor)
        for _ in 0..<server.configuration.codes.guesses {
            try await PageVisitor(copying: page).report(["code": sent.code == "000000" ? "1" : "000000"])
        }
        try await visitor.report()
        #expect(visitor.title.hasPrefix("This link has expired"))
        let late = try await sent.own.shown(
            try await sent.own.submit(sent.flow, ["method": "code", "code": sent.code])
        )
        #expect(late["state"] != "passed_challenge")
    }

    @Test func `A link whose code was replaced can't end the flow`() async throws {
        try await server.register()
        let sent = try await send(.verification)
        let visitor = try await visit(sent.link)
        server.time.advance(by: .seconds(61))
        try await sent.own.submit(sent.flow, ["method": "code", "email": Self.mail])
        let code = try await server.inbox.code(for: Self.mail).exposed
        try await visitor.report()
        #expect(visitor.title.hasPrefix("This link has expired"))
        let done = try await sent.own.shown(
            try await sent.own.submit(sent.flow, ["method": "code", "code": code])
        )
        #expect(done["state"] == "passed_challenge")
    }

    @Test func `A wrong guess of the user who has asked doesn't hide the button`() async throws {
        try await server.register()
        let sent = try await send(.verification)
        let wrong = sent.code == "000000" ? "000001" : "000000"
        try await sent.own.submit(sent.flow, ["method": "code", "code": wrong])
        let visitor = try await visit(sent.link)
        try await visitor.report()
        #expect(visitor.title.hasPrefix("Thank you for telling us"))
    }
}

extension PageVisitor {
    /// The id of the flow that the page shows.
    fileprivate var flow: String? {
        text.firstMatch(of: #/[?&]flow=([0-9a-f-]{36})/#).map { String($0.output.1) }
    }

    /// Presses the button "This was not me".
    fileprivate func report(_ values: [String: String] = [:]) async throws {
        let address = try #require(text.firstMatch(of: #/formaction="([^"]*)"/#), "\(summary)").output.1
        try await submit(values.merging(["method": "code"]) { $1 }, to: String(address))
    }
}
