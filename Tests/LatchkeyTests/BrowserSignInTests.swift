import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Logins in a browser` {
    private static let redirect = "com.example.shop:/callback"

    private func user(of server: TestServer, returns: Bool = true) -> BrowserUser {
        BrowserUser(
            server,
            redirectURI: Self.redirect,
            identifier: TestServer.person,
            password: TestAccount.passcode,
            returns: returns
        )
    }

    @Test func `A first-party app gets a session like that of a native login`() async throws {
        let server = try await TestServer.withBrowserLogin(to: Self.redirect)
        let client = try server.browserClient(redirectURIs: [Self.redirect])

        let session = try await client.signIn(in: user(of: server))

        #expect(client.sessionState.session?.id == session.id)
        let response = try await client.send(HTTP.Request(.get, "/a/sessions/whoami"), to: TestServer.url)
        #expect(response.status == 200)
    }

    @Test func `An app that was started again completes the login with the URL that opens it`() async throws {
        let server = try await TestServer.withBrowserLogin(to: Self.redirect)
        let store = MemoryStore()
        let user = user(of: server, returns: false)
        let first = try server.browserClient(redirectURIs: [Self.redirect], store: store)
        let login = Task { try await first.signIn(in: user) }
        while user.opened.isEmpty { await Task.yield() }
        let url = await user.visit(user.opened[0])

        let restarted = try server.browserClient(redirectURIs: [Self.redirect], store: store)
        #expect(restarted.handle(url))

        for await state in restarted.sessionStates where state.session != nil { break }
        #expect(restarted.sessionState.session != nil)
        login.cancel()
        _ = try? await login.value
    }

    /// URLs that any program can open while a login is pending, made from the right one.
    private static let foreign: [(name: String, url: @Sendable (String) -> String)] = [
        ("another state", { $0.replacing("state=", with: "state=x") }),
        ("no state", { $0.replacing("state=", with: "other=") }),
        ("another issuer", { $0.replacing("iss=", with: "iss=https%3A%2F%2Fevil.example%2F") }),
        ("no issuer", { $0.replacing("iss=", with: "other=") }),
        ("two codes", { $0 + "&code=2" }),
        ("an error beside the code", { $0 + "&error=access_denied" }),
        ("a truncated query", { String($0.prefix { $0 != "?" }) + "?code" }),
        ("a megabyte", { $0 + "&x=" + String(repeating: "x", count: 1_048_576) }),
        ("another path", { $0.replacing("/callback", with: "/callback/x") }),
        ("another scheme", { $0.replacing("com.example.shop", with: "com.example.evil") }),
    ]

    @Test(arguments: foreign.indices)
    func `URLs of other programs have no effect on a pending login`(_ index: Int) async throws {
        let server = try await TestServer.withBrowserLogin(to: Self.redirect)
        let user = user(of: server, returns: false)
        let client = try server.browserClient(redirectURIs: [Self.redirect])
        let login = Task { try await client.signIn(in: user) }
        while user.opened.isEmpty { await Task.yield() }
        let url = await user.visit(user.opened[0])

        client.handle(Self.foreign[index].url(url))
        #expect(client.sessionState.session == nil, "\(Self.foreign[index].name)")
        #expect(client.handle(url))
        #expect(try await login.value.id == client.sessionState.session?.id)
        // The right URL has an effect once.
        #expect(client.handle(url))
        #expect(client.sessionState.session != nil)
    }

    @Test func `A user who refuses in the browser dismisses the login`() async throws {
        let server = try await TestServer.withBrowserLogin(to: Self.redirect)
        let user = user(of: server, returns: false)
        let client = try server.browserClient(redirectURIs: [Self.redirect])
        let login = Task { try await client.signIn(in: user) }
        while user.opened.isEmpty { await Task.yield() }
        let url = await user.visit(user.opened[0])
        let start = url.prefix { $0 != "?" }
        let rest = url.dropFirst(start.count + 1).split(separator: "&").filter { !$0.hasPrefix("code=") }

        client.handle(start + "?error=access_denied&" + rest.joined(separator: "&"))

        let error = await #expect(throws: LatchkeyError.self) { try await login.value }
        #expect(error?.code == .dismissed)
        client.handle(url)
        #expect(client.sessionState.session == nil)
    }

    @Test func `A loopback login on IPv6 needs a client that is registered for it`() async throws {
        let (ipv4, ipv6) = ("http://127.0.0.1/callback", "http://[::1]/callback")
        for isRegistered in [true, false] {
            let server =
                if isRegistered { try await TestServer.withBrowserLogin(to: ipv4, ipv6) } else {
                    try await TestServer.withBrowserLogin(to: ipv4)
                }
            for host in ["127.0.0.1", "[::1]"] {
                let user = BrowserUser(
                    server,
                    redirectURI: "http://\(host):49152/callback",
                    identifier: TestServer.person,
                    password: TestAccount.passcode
                )
                let client = try server.browserClient(redirectURIs: [])

                let error = await failure { try await client.signIn(in: user) }

                let isAccepted = isRegistered || host == "127.0.0.1"
                #expect(error?.code == (isAccepted ? nil : .refused), "\(host)")
                #expect(user.opened.count == (isAccepted ? 1 : 0), "\(host)")
                #expect((client.sessionState.session != nil) == isAccepted, "\(host)")
            }
        }
    }

    /// A request of a login.
    enum Step: CaseIterable {
        case discovery, pushedRequest, keys, session

        var request: (method: HTTP.Method, path: String) {
            switch self {
            case .discovery: (.get, "/.well-known/openid-configuration")
            case .pushedRequest: (.post, "/oauth2/par")
            case .keys: (.get, "/.well-known/jwks.json")
            case .session: (.get, "/a/sessions/whoami")
            }
        }
    }

    @Test(arguments: Step.allCases, [true, false])
    func `A login that fails leaves no session behind, and can be repeated`(
        at step: Step,
        isAnswerLost: Bool
    ) async throws {
        let server = try await TestServer.withBrowserLogin(to: Self.redirect)
        let network = server.transport()
        let client = try server.browserClient(redirectURIs: [Self.redirect], over: network)
        let (method, path) = step.request
        network.inject(isAnswerLost ? .dropResponse : .dropRequest, on: method, path)

        await #expect(throws: LatchkeyError.self) { try await client.signIn(in: user(of: server)) }
        #expect(client.sessionState == .signedOut)
        #expect(await client.engine.revocations?.settle() == true)
        #expect(try await server.liveSessions() == 0)

        try await client.signIn(in: user(of: server))
        #expect(client.sessionState.session != nil)
        #expect(try await server.liveSessions() == 1)
    }

    @Test(arguments: [1, 2])
    func `A lost answer of the token endpoint leaves no grant and no session without an owner`(
        number: Int
    ) async throws {
        let server = try await TestServer.withBrowserLogin(to: Self.redirect)
        let network = server.transport()
        let client = try server.browserClient(redirectURIs: [Self.redirect], over: network)
        if number == 2 { network.inject(.delay(.zero), on: .post, "/oauth2/token") }
        network.inject(.dropResponse, on: .post, "/oauth2/token")

        let session = try? await client.signIn(in: user(of: server))

        // A code that is presented again ends its grant. A session that is opened again gets a new token.
        #expect((session != nil) == (number == 2))
        #expect(try await server.liveSessions() == (number == 2 ? 1 : 0))
        #expect(try await server.liveGrants() == 0)
    }
}
