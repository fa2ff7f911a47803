import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth

/// A server with an app, whose user is logged in, and a site that the app may hand its session over to.
struct HandoverServer: Sendable {
    static let app = "app"
    static let callback = ProviderServer.callback
    /// The network of the app, and of a browser on the same device.
    static let home = "192.0.2.1"
    /// The header fields of a browser whose user has opened the address, and no page has.
    static let opened: HTTP.Headers = ["Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"]

    let provider: ProviderServer
    let site: RelyingParty
    let identity: Identifier
    /// The token of the app's session.
    let token: String

    var people: SelfServiceServer { provider.people }
    var time: VirtualTime { provider.time }

    init(
        over database: (any Database)? = nil,
        dutySources: [any DutySource] = [],
        own: String = #""first_party": true"#,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        provider = try await ProviderServer(over: database, dutySources: dutySources, change)
        _ = try await provider.client(
            Self.app,
            name: "The App",
            secret: nil,
            redirect: "com.example.app:/callback",
            #""application_type": "native""#
        )
        site = try await provider.client(own: #""handover_from": ["app"], \#(own)"#)
        let registered = try await provider.people.register()
        identity = try #require(registered["identity"]?["id"]?.text.flatMap { Identifier($0) })
        token = try await Self.logIn(at: provider.people)
    }

    /// Logs a person in with an app, and returns the session token.
    static func logIn(
        _ number: Int = 1,
        at server: SelfServiceServer,
        client: String? = app
    ) async throws -> String {
        let flow = await server.begin(.login, client.map { "?client_id=" + $0 } ?? "")
        let body: JSONValue = .object([
            "method": "password", "identifier": .string("person\(number)@example.org"),
            "password": .string(SelfServiceServer.password),
        ])
        return try #require(try await server.submit(.login, flow, body)["session_token"]?.text)
    }

    func logIn(_ number: Int = 1, client: String? = app) async throws -> String {
        try await Self.logIn(number, at: people, client: client)
    }

    /// Sends a request of an operator.
    @discardableResult
    func operate(_ method: HTTP.Method, _ path: String, _ body: String = "") async -> Answer {
        let request = HTTP.Request(method, path, body: Array(body.utf8))
        let peer = PeerAddress(host: "192.0.2.9", port: 50_000)
        return Answer(await people.assembly.localAdministration().respond(to: request, from: peer))
    }

    /// Changes the registration of a client with a JSON Patch.
    func patch(_ client: String, _ operation: String, _ path: String, _ value: String) async {
        let patch = #"[{"op": "\#(operation)", "path": "\#(path)", "value": \#(value)}]"#
        #expect(await operate(.patch, "/admin/clients/" + client, patch).status == 200)
    }

    func isAlive(_ token: String) async -> Bool { await people.isAlive(token) }

    // MARK: Codes

    /// Exchanges the app's session.
    ///
    /// A parameter that is `nil` is left out.
    func exchange(
        _ type: TokenType = .webSessionCode,
        with changes: [String: String?] = [:],
        token: String? = nil,
        proof: String? = nil,
        from host: String = home,
        at node: ProviderServer? = nil
    ) async -> Answer {
        var fields: [String: String?] = [
            "grant_type": TokenRequest.Grant.tokenExchange.rawValue,
            "requested_token_type": type.rawValue, "subject_token": token ?? self.token,
            "subject_token_type": TokenType.session.rawValue, "audience": site.id,
            "redirect_uri": Self.callback,
        ]
        fields.merge(changes) { $1 }
        var request = HTTP.Request(
            form: fields.compactMap { name, value in value.map { (name, $0) } }.sorted { $0.0 < $1.0 },
            to: Route.token
        )
        if let proof { request.headers[DPoPProof.header] = proof }
        return await (node ?? provider).people.send(request, from: host)
    }

    /// Returns a code for the app's session.
    func code(
        _ type: TokenType = .webSessionCode,
        with changes: [String: String?] = [:],
        token: String? = nil,
        from host: String = home
    ) async throws -> String {
        let answer = await exchange(type, with: changes, token: token, from: host)
        #expect(answer.status == 200, "\(answer.body)")
        return answer.accessToken
    }

    // MARK: Browsers

    static func address(_ code: String) -> String {
        SelfServiceServer.url + "/continue?code=" + QueryItems.encode(code)
    }

    /// Opens the address of a code in a browser, as its user does.
    @discardableResult
    func open(
        _ code: String,
        in browser: TestBrowser,
        headers: HTTP.Headers = opened,
        method: HTTP.Method = .get
    ) async -> Answer {
        await browser.get(Self.address(code), headers: headers, method: method)
    }

    /// Returns a browser that continues the app's session.
    func browser(token: String? = nil) async throws -> TestBrowser {
        let browser = TestBrowser(people)
        let answer = await open(try await code(token: token), in: browser)
        #expect(answer.status == 303 && answer.location == Self.callback, "\(answer.status)")
        #expect(browser.isLoggedIn)
        return browser
    }

    func whoami(_ browser: TestBrowser) async -> Answer { await browser.get("/sessions/whoami") }

    /// Returns whether a browser has an active session.
    func isAlive(_ browser: TestBrowser) async -> Bool { await whoami(browser).status == 200 }

    /// The number of sessions that end with another one and haven't ended.
    func children() async throws -> Int64 {
        try await provider.count("sessions", where: "parent_id IS NOT NULL AND revoked_at IS NULL")
    }

    func codes() async throws -> Int64 { try await provider.count("handover_codes") }
}
