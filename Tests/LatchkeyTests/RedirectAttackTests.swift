import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import Latchkey
@testable import LatchkeyCore

/// Any program can open a URL of the app, so each test sends what other programs may send.
@Suite(.onEachDatabase) struct `Redirects that an attacker sends` {
    /// A URL made from the redirect of the user's browser.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether it leads to the app.
        let isOwn: Bool
        let url: @Sendable (String) -> String

        init(_ name: String, isOwn: Bool = true, _ url: @escaping @Sendable (String) -> String) {
            (testDescription, self.isOwn, self.url) = (name, isOwn, url)
        }
    }

    private static let forgeries: [Forgery] = [
        Forgery("another state") { $0.replacing("state=", with: "state=x") },
        Forgery("a state in capital letters") { $0.replacing(#/state=[^&]*/#) { $0.output.uppercased() } },
        Forgery("an empty state") { $0.replacing(#/state=[^&]*/#, with: "state=") },
        Forgery("the first half of the state") {
            $0.replacing(#/state=[^&]*/#) { String($0.output.prefix(27)) }
        },
        Forgery("two states") { $0 + "&state=x" },
        Forgery("the same state twice") { $0.replacing(#/state=[^&]*/#) { "\($0.output)&\($0.output)" } },
        Forgery("two codes") { $0 + "&code=2" },
        Forgery("an encoded second code") { $0 + "&%63ode=2" },
        Forgery("two issuers") { $0 + "&iss=https%3A%2F%2Fid.test" },
        Forgery("another issuer") { $0.replacing("iss=", with: "iss=https%3A%2F%2Fevil.example%2F") },
        Forgery("the issuer with a slash") { $0.replacing(#/iss=[^&]*/#) { $0.output + "%2F" } },
        Forgery("no issuer") { $0.replacing("iss=", with: "other=") },
        Forgery("an empty issuer") { $0.replacing(#/iss=[^&]*/#, with: "iss=") },
        Forgery("an error beside the code") { $0 + "&error=access_denied" },
        Forgery("an error with another state") { _ in
            BrowserScene.redirectURI + "?error=access_denied&state=x&iss=https%3A%2F%2Fid.test"
        },
        Forgery("an error without an issuer") {
            $0.replacing("code=", with: "error=").replacing("iss=", with: "other=")
        },
        Forgery("no code") { $0.replacing("code=", with: "other=") },
        Forgery("a name without a value") { _ in BrowserScene.redirectURI + "?code" },
        Forgery("no query") { _ in BrowserScene.redirectURI },
        Forgery("a fragment in place of the query") { $0.replacing("?", with: "#") },
        Forgery("bytes that aren't UTF-8") { $0 + "&x=%FF" },
        Forgery("a megabyte", isOwn: false) { $0 + "&x=" + String(repeating: "x", count: 1_048_576) },
        Forgery("a longer path", isOwn: false) { $0.replacing("/callback", with: "/callback/x") },
        Forgery("a path in capital letters", isOwn: false) { $0.replacing("/callback", with: "/CALLBACK") },
        Forgery("an encoded path", isOwn: false) { $0.replacing("/callback", with: "/%63allback") },
        Forgery("a path with dots", isOwn: false) { $0.replacing("/callback", with: "/x/../callback") },
        Forgery("an empty host", isOwn: false) { $0.replacing(":/callback", with: ":///callback") },
        Forgery("a host", isOwn: false) { $0.replacing(":/callback", with: "://evil.example/callback") },
        Forgery("another scheme", isOwn: false) { $0.replacing("com.example.shop", with: "com.evil.shop") },
        Forgery("a longer scheme", isOwn: false) { "x" + $0 },
        Forgery("a web page", isOwn: false) {
            $0.replacing("com.example.shop:", with: "https://com.example.shop")
        },
        Forgery("a space before the scheme", isOwn: false) { " " + $0 },
        Forgery("a line break at the end", isOwn: false) { $0 + "\n" },
        Forgery("a letter that looks like one of the scheme", isOwn: false) {
            $0.replacing("com.example", with: "com.ex\u{430}mple")
        },
        Forgery("nothing", isOwn: false) { _ in "" },
    ]

    @Test(arguments: forgeries)
    func `Forged redirects have no effect on a login and on an app that was started again`(
        forgery: Forgery
    ) async throws {
        let scene = try await BrowserScene()
        let forged = forgery.url(scene.redirect)
        #expect(forged != scene.redirect)
        let restarted = try scene.restarted()

        for client in [scene.client, restarted] {
            #expect(client.handle(forged) == forgery.isOwn)
            await scene.settle(client)
            #expect(client.sessionState == .signedOut)
        }
        // The login that is still in the browser has a key.
        #expect(scene.keys.count == 1)

        #expect(scene.client.handle(scene.redirect))
        let session = try await scene.login.value
        #expect(scene.client.sessionState.session?.id == session.id)
        #expect(try await scene.server.liveSessions() == 1)
        #expect(scene.keys.count == 1)
    }

    @Test(arguments: ["com.example.shop", "COM.EXAMPLE.SHOP", "com.Example.Shop"])
    func `The case of the scheme is the only thing that may differ`(scheme: String) async throws {
        let scene = try await BrowserScene()

        #expect(scene.client.handle(scene.redirect.replacing("com.example.shop", with: scheme)))

        #expect(try await scene.login.value.id == scene.client.sessionState.session?.id)
        #expect(try await scene.server.liveSessions() == 1)
    }

    @Test func `A redirect that is replayed has no effect, not even after a logout or a restart`()
        async throws
    {
        let scene = try await BrowserScene()
        scene.client.handle(scene.redirect)
        let session = try await scene.login.value

        for _ in 1...3 { #expect(scene.client.handle(scene.redirect)) }
        await scene.settle()
        #expect(scene.client.sessionState.session?.id == session.id)
        scene.client.signOut()
        #expect(scene.client.handle(scene.redirect))
        await scene.settle()
        #expect(scene.client.sessionState == .signedOut)
        let restarted = try scene.restarted()
        #expect(restarted.handle(scene.redirect))
        await scene.settle(restarted)

        #expect(restarted.sessionState == .signedOut)
        #expect(try await scene.server.liveSessions() == 0)
        #expect(scene.keys.count == 0)
    }

    @Test func `A redirect that arrives too late ends the login`() async throws {
        let scene = try await BrowserScene()
        scene.server.time.advance(by: .seconds(600))

        #expect(scene.client.handle(scene.redirect))

        #expect(await failure { try await scene.login.value }?.code == .flowExpired)
        let restarted = try scene.restarted()
        #expect(restarted.handle(scene.redirect))
        await scene.settle(restarted)
        #expect(restarted.sessionState == .signedOut && scene.client.sessionState == .signedOut)
        #expect(try await scene.server.liveSessions() == 0)
        #expect(scene.keys.count == 0)
    }

    /// An event that ends a login before its redirect arrives.
    enum Ending: CaseIterable {
        case signOut, nativeLogin, cancellation, newerLogin
    }

    @Test(arguments: Ending.allCases)
    func `A redirect has no effect after its login has ended`(by ending: Ending) async throws {
        let scene = try await BrowserScene()
        var expected: UserSession?
        var code = LatchkeyError.Code.superseded
        switch ending {
        case .signOut:
            scene.client.signOut()
            code = .signedOut
        case .nativeLogin:
            expected = try await scene.client.signIn(
                identifier: TestServer.person,
                password: TestAccount.passcode
            )
        case .cancellation:
            scene.login.cancel()
            code = .cancelled
        case .newerLogin:
            let newer = try await BrowserScene(beside: scene, in: scene.client)
            newer.client.handle(newer.redirect)
            expected = try await newer.login.value
        }
        #expect(await failure { try await scene.login.value }?.code == code)

        let restarted = try scene.restarted()
        for client in [scene.client, restarted] {
            #expect(client.handle(scene.redirect))
            await scene.settle(client)
            #expect(client.sessionState.session?.id == expected?.id)
        }
        #expect(scene.keys.count == (expected == nil ? 0 : 1))
    }

    @Test func `The code of one login and the state of another end only the login of the state`()
        async throws
    {
        let first = try await BrowserScene()
        let second = try await BrowserScene(beside: first)
        let mixed = first.redirect.replacing(
            "code=" + first.parameter("code"),
            with: "code=" + second.parameter("code")
        )
        #expect(mixed != first.redirect)

        #expect(first.client.handle(mixed))

        #expect(await failure { try await first.login.value }?.code == .refused)
        await first.settle()
        #expect(first.client.sessionState == .signedOut)
        #expect(try await first.server.liveSessions() == 0)
        // The other login, which is still in the browser, has a key.
        #expect(first.keys.count == 1)
        second.client.handle(second.redirect)
        #expect(try await second.login.value.id == second.client.sessionState.session?.id)
        #expect(try await first.server.liveSessions() == 1)
    }

    @Test(arguments: [true, false])
    func `An error ends the login only if it names the provider`(namesProvider: Bool) async throws {
        let scene = try await BrowserScene()
        let error =
            BrowserScene.redirectURI + "?error=access_denied&state=" + scene.parameter("state")
            + (namesProvider ? "&iss=https%3A%2F%2Fid.test" : "")

        #expect(scene.client.handle(error))
        await scene.settle()
        scene.client.handle(scene.redirect)

        let result = await failure { try await scene.login.value }
        #expect(result?.code == (namesProvider ? .dismissed : nil))
        await scene.settle()
        #expect(try await scene.server.liveSessions() == (namesProvider ? 0 : 1))
    }

    @Test(arguments: ["access_denied", "server_error", nil])
    func `A login that fails in another process ends in the one that waits for it`(error: String?)
        async throws
    {
        let scene = try await BrowserScene()
        let other = try await BrowserScene(beside: scene)
        let state = scene.parameter("state")
        let answer =
            if let error {
                BrowserScene.redirectURI + "?error=\(error)&state=\(state)&iss=https%3A%2F%2Fid.test"
            } else {
                scene.redirect.replacing("code=" + scene.parameter("code"), with: "code=unknown")
            }
        let restarted = try scene.restarted()

        #expect(await failure { try await restarted.completeSignIn(with: answer) } != nil)
        // The process that waits looks at the store every second.
        await scene.client.engine.browserSignIn?.noticeFailures()
        let code = await failure { try await scene.login.value }?.code

        #expect(code == (error == "access_denied" ? .dismissed : .refused))
        #expect(restarted.sessionState == .signedOut && scene.client.sessionState == .signedOut)
        await scene.settle()
        await scene.settle(restarted)
        // The other login, which is still in the browser, has a key, and is the only one that is stored.
        #expect(scene.keys.count == 1)
        #expect(try scene.pendingLogins().map(\.state.exposed) == [other.parameter("state")])
        #expect(try await scene.server.liveSessions() == 0)
        other.login.cancel()
    }

    @Test func `A login that another process completes keeps its key`() async throws {
        let scene = try await BrowserScene()
        let restarted = try scene.restarted()

        let session = try await restarted.completeSignIn(with: scene.redirect)

        #expect(try await scene.login.value.id == session?.id)
        await scene.settle()
        #expect(scene.keys.count == 1)
        #expect(try scene.pendingLogins().isEmpty)
    }

    @Test func `The answer to a login at another provider isn't sent to the present one`() async throws {
        let scene = try await BrowserScene()
        let evil = HostileProvider(time: scene.server.time)
        let updated = try evil.client(id: TestServer.clientID, store: scene.store)

        #expect(updated.handle(scene.redirect))
        await scene.settle(updated)

        #expect(evil.requests("/token").isEmpty)
        #expect(updated.sessionState == .signedOut)
        scene.login.cancel()
    }

    @Test func `A redirect that arrives before the store is unlocked has no effect, and can be repeated`()
        async throws
    {
        let scene = try await BrowserScene()
        scene.store.lock()
        let restarted = try scene.restarted()
        #expect(restarted.handle(scene.redirect))
        await scene.settle(restarted)
        #expect(restarted.sessionState.session == nil)

        scene.store.unlock()
        #expect(restarted.handle(scene.redirect))
        await scene.settle(restarted)

        #expect(restarted.sessionState.session != nil)
        #expect(try await scene.server.liveSessions() == 1)
        scene.login.cancel()
    }

    // MARK: Many at once

    @Test func `1,000 redirects at once have one effect`() async throws {
        let scene = try await BrowserScene()
        let restarted = try scene.restarted()

        await withTaskGroup { group in
            for number in 0..<1_000 {
                let client = number.isMultiple(of: 2) ? scene.client : restarted
                group.addTask { #expect(client.handle(scene.redirect)) }
            }
        }
        let session = try await scene.login.value
        for client in [scene.client, restarted] {
            await scene.settle(client)
            _ = try await client.checkSession()
            #expect(client.sessionState.session?.id == session.id)
        }

        #expect(try await scene.server.liveSessions() == 1)
        #expect(try await scene.server.liveGrants() == 0)
        #expect(scene.keys.count == 1)
    }

    @Test func `Two processes that are started with the same redirect complete the login once`()
        async throws
    {
        let scene = try await BrowserScene()
        let clients = [try scene.restarted(), try scene.restarted()]

        for client in clients { #expect(client.handle(scene.redirect)) }
        for client in clients { await scene.settle(client) }
        let session = try await scene.login.value

        for client in clients {
            _ = try await client.checkSession()
            #expect(client.sessionState.session?.id == session.id)
        }
        #expect(try await scene.server.liveSessions() == 1)
        #expect(scene.keys.count == 1)
    }

    @Test func `A login succeeds if another process was faster with the same redirect`() async throws {
        let scene = try await BrowserScene()
        let restarted = try scene.restarted()
        scene.network.inject(.delay(.seconds(5)), on: .get, "/a/sessions/whoami")
        restarted.handle(scene.redirect)
        // The login that waits has two of them.
        await scene.server.time.sleepers(atLeast: 3)

        scene.client.handle(scene.redirect)
        scene.server.time.advance(by: .seconds(6))

        let session = try await scene.login.value
        await scene.settle(restarted)
        #expect(restarted.sessionState.session?.id == session.id)
        #expect(scene.client.sessionState.session?.id == session.id)
        #expect(try await scene.server.liveSessions() == 1)
        #expect(scene.keys.count == 1)
    }

    @Test func `Forged redirects don't delay the right one while another process holds the refresh lock`()
        async throws
    {
        let scene = try await BrowserScene()
        let restarted = try scene.restarted()
        let held = scene.store.refreshLock?.wait(atMost: .zero)
        let padding = String(repeating: "x", count: 1_000)

        for number in 0..<1_000 {
            let forged = BrowserScene.redirectURI + "?code=\(padding)&state=\(number)"
            #expect(restarted.handle(forged))
        }
        // If each of them waited for the lock, the test would reach its time limit.
        await restarted.engine.browserSignIn?.settle()

        held?.release()
        restarted.handle(scene.redirect)
        await scene.settle(restarted)
        #expect(restarted.sessionState.session != nil)
        scene.login.cancel()
    }

    // MARK: Interruptions

    @Test(arguments: ["/oauth2/token", "/.well-known/jwks.json", "/a/sessions/whoami"])
    func `A sign-out during the exchange leaves no session, no grant and no key`(path: String) async throws {
        let scene = try await BrowserScene()
        scene.network.inject(.delay(.seconds(5)), on: nil, path)
        scene.client.handle(scene.redirect)
        await scene.isDelayed()

        scene.client.signOut()

        #expect(await failure { try await scene.login.value }?.code == .signedOut)
        await scene.settle()
        #expect(scene.client.sessionState == .signedOut)
        #expect(try await scene.server.liveSessions() == 0)
        #expect(try await scene.server.liveGrants() == 0)
        #expect(scene.keys.count == 0)
    }

    @Test func `A check during the exchange reports the former session`() async throws {
        let scene = try await BrowserScene()
        let client = scene.client
        client.handle(scene.redirect)
        let former = try await scene.login.value
        let next = try await BrowserScene(beside: scene, in: client)
        scene.network.inject(.delay(.seconds(5)), on: .get, "/.well-known/jwks.json")
        scene.network.inject(.delay(.seconds(5)), on: .post, "/oauth2/token")
        client.handle(next.redirect)
        await scene.isDelayed()

        #expect(try await client.checkSession().session?.id == former.id)
        scene.server.time.advance(by: .seconds(6))

        let session = try await next.login.value
        #expect(session.id != former.id && client.sessionState.session?.id == session.id)
        await scene.settle()
        #expect(try await scene.server.liveSessions() == 1)
        #expect(scene.keys.count == 1)
    }

    @Test func `A login that has expired doesn't succeed with the session that it would have replaced`()
        async throws
    {
        let first = try await BrowserScene()
        first.client.handle(first.redirect)
        let former = try await first.login.value
        let second = try await BrowserScene(
            beside: first,
            in: first.client,
            options: AuthorizationOptions(prompt: .login, maxAge: 0)
        )
        first.server.time.advance(by: .seconds(601))

        // The account has changed in the meantime, which a check notices.
        _ = try await first.client.checkSession()
        let exchange = first.network.exchanges.last { $0.request.path == "/a/sessions/whoami" }
        let body = String(decoding: try #require(exchange?.response?.body), as: UTF8.self)
        let changed = body.replacing(TestServer.person, with: "renamed@example.org")
        first.network.inject(
            .respond(
                HTTP.Response(
                    200,
                    headers: ["Content-Type": "application/json"],
                    body: Array(changed.utf8)
                )
            ),
            on: .get,
            "/a/sessions/whoami"
        )
        _ = try await first.client.checkSession()
        #expect(first.client.sessionState.session?.identity.email != former.identity.email)
        await first.settle()

        // The answer comes too late.
        second.client.handle(second.redirect)
        #expect(await failure { try await second.login.value }?.code == .flowExpired)
    }

    /// Returns a store as it would be if the app was ended at this moment.
    private func copy(_ store: MemoryStore) throws -> MemoryStore {
        let copy = MemoryStore()
        if case .present(let bytes, _) = store.sideStore(for: .login)?.read() {
            _ = try copy.sideStore(for: .login)?.write(bytes, basedOn: 0)
        }
        return copy
    }

    @Test(arguments: ["/.well-known/jwks.json", "/a/sessions/whoami"])
    func `A sign-out before an interrupted login is continued leaves no session and no grant`(path: String)
        async throws
    {
        let scene = try await BrowserScene()
        scene.network.inject(.delay(.seconds(5)), on: nil, path)
        scene.client.handle(scene.redirect)
        await scene.isDelayed()
        // The app is ended at this moment, and its device is offline when it is started again.
        let store = try copy(scene.store)
        let network = scene.server.transport()
        network.inject(.unreachable, times: 100)
        let restarted = try scene.restarted(store: store, over: network)
        await scene.server.time.sleepers(atLeast: 2)

        restarted.signOut()
        while case .absent = store.sideStore(for: .device)?.read() {
            try Task.checkCancellation()
            await Task.yield()
        }
        let later = try scene.restarted(store: store, over: scene.server.transport())
        await scene.settle(later)

        #expect(later.sessionState == .signedOut)
        #expect(try await scene.server.liveSessions() == 0)
        #expect(try await scene.server.liveGrants() == 0)
        scene.login.cancel()
    }

    /// The persistence of an interrupted login, and how long after its beginning the app is started again.
    @Test(arguments: [
        (Persistence.device, Duration.seconds(599), true), (.device, .seconds(601), false),
        (.device, .seconds(20 * 86_400), false), (.memory, .zero, false),
    ])
    func `An interrupted login is continued only within its time, and not if it was limited to its process`(
        persistence: Persistence,
        age: Duration,
        isContinued: Bool
    ) async throws {
        let scene = try await BrowserScene(persistence: persistence)
        scene.network.inject(.delay(.seconds(5)), on: .get, "/a/sessions/whoami")
        scene.client.handle(scene.redirect)
        await scene.isDelayed()

        let restarted = try scene.restarted(
            store: try copy(scene.store),
            over: scene.server.transport(),
            skew: age
        )
        await scene.settle(restarted)

        #expect((restarted.sessionState.session != nil) == isContinued)
        #expect(try await scene.server.liveSessions() == (isContinued ? 1 : 0))
        #expect(scene.keys.count == (isContinued ? 1 : 0))
        scene.login.cancel()
    }

    // MARK: Stolen codes

    /// A redirect is visible in the arguments of the program that the desktop starts.
    @Test func `A code that another program has read can't be redeemed, and the login still completes`()
        async throws
    {
        let scene = try await BrowserScene()
        let thief = scene.server.transport(from: "198.51.100.66")
        let signer = DeviceSigner(
            keys: try Platform.deviceKeys(),
            queue: BlockingQueue(label: "thief"),
            random: SystemRandom()
        )
        let key = try await signer.createKey()
        let form = [
            ("grant_type", "authorization_code"), ("code", scene.parameter("code")),
            ("redirect_uri", BrowserScene.redirectURI), ("client_id", TestServer.clientID),
        ]
        let verifiers = [
            nil, "", String(repeating: "a", count: 43), scene.parameter("state"), scene.parameter("code"),
        ]
        for verifier in verifiers {
            for hasProof in [true, false] {
                var request = HTTP.Request(
                    form: form + (verifier.map { [("code_verifier", $0)] } ?? []),
                    to: "/oauth2/token"
                )
                if hasProof {
                    request.headers["DPoP"] = try await signer.proof(
                        forPostTo: TestServer.url + "/oauth2/token",
                        issuedAt: scene.server.time.now,
                        by: key
                    )
                }
                let response = try await thief.send(request, to: TestServer.url)
                #expect(response.status == 400, "\(String(describing: verifier))")
                #expect(!String(decoding: response.body, as: UTF8.self).contains("access_token"))
            }
        }

        scene.client.handle(scene.redirect)

        #expect(try await scene.login.value.id == scene.client.sessionState.session?.id)
        #expect(try await scene.server.liveSessions() == 1)
    }
}
