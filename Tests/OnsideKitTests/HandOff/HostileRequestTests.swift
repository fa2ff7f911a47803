import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import OnsideKit
import TestDatabases
import TestStore
import Testing

@testable import LatchkeyCore

/// Custom schemes prove no identity (RFC 8252, section 8.6), so each test is another program on the device.
@MainActor @Suite(.exclusiveOnside, .onEachDatabase) struct `Programs that listen to a hand-off` {
    private static let otherPhone = "+436640000002"

    /// Logs another user in to the store app, in place of the current one.
    private func logInAnotherUser(_ scene: HandOffScene) async throws {
        scene.store.client.signOut()
        try await logIn(scene.store.client, to: scene.server)
    }

    private func logIn(_ client: LatchkeyClient, to server: TestServer) async throws {
        server.time.advance(by: .seconds(61))
        let sent = try await client.codeSignIn.sendCode(
            to: Self.otherPhone,
            orSignUpWith: [:],
            schema: "shopper"
        )
        try await sent.verify(server.code(for: Self.otherPhone))
    }

    /// Returns a client with an account of its own, which the user of the device doesn't know.
    private func attacker(_ server: TestServer) async throws -> LatchkeyClient {
        let client = try LatchkeyClient(server: TestServer.url, app: "com.example.store") {
            $0.store = MemoryStore()
            $0.transport = server.transport(from: "198.51.100.66")
            $0.languages = []
            $0.time = server.time
        }
        try await logIn(client, to: server)
        return client
    }

    // MARK: The callback scheme of the game

    @Test func `A program that receives the code can't redeem it, not even with the verifier`() async throws {
        let scene = try await HandOffScene.opened()
        let genuine = try await scene.answer()
        let code = genuine.parameter("code")
        let verifier = try #require(try scene.pendingLogin).verifier.secret.exposed
        let program = try await RawRequest(scene.server)
        let guesses = [
            nil, "", String(repeating: "a", count: 43), code, genuine.parameter("state"),
            program.verifier.secret.exposed, verifier,
        ]

        for guess in guesses {
            for proves in [true, false] {
                let response = try await program.redeem(code, verifier: guess, proves: proves)
                #expect(response.status == 400, "\(String(describing: guess))")
                #expect(!String(decoding: response.body, as: UTF8.self).contains("access_token"))
            }
        }

        scene.open(genuine)
        #expect(await scene.errors() == [nil])
        try await scene.expectOneLogin()
        await scene.server.stop()
    }

    @Test func `A program with the same callback scheme that keeps the answer only delays the login`()
        async throws
    {
        let scene = try await HandOffScene.opened()
        _ = try await scene.answer()

        // The answer never arrives. The user opens the store app again, which shows no request anymore.
        await scene.store.answer(try #require(scene.store.opened.last), with: .approve)

        #expect(scene.store.errors.count == 1 && scene.results.isEmpty)
        try await scene.logInByPhone()
        #expect(await scene.errors() == [nil])
        try await scene.expectNoTrace()
        await scene.server.stop()
    }

    @Test func `A program that starts a request under the game's id needs the user's tap`() async throws {
        let scene = try await HandOffScene.closed()
        let program = try await RawRequest(scene.server)

        let approval = try await scene.store.client.authorizationApproval(for: program.address)

        // All that the server knows for certain is the scheme, and that is what the user sees.
        #expect(approval.requiresConfirmation)
        #expect(approval.origin == .privateUseScheme("com.example.arcade"))
        #expect(approval.client.name == "Arcade")
        #expect(try await scene.server.gameSessions() == 0)
        // The residual risk: after the tap, the program can redeem the code.
        let code = try await approval.approve().parameter("code")
        #expect(try await program.redeem(code, verifier: program.verifier.secret.exposed).status == 200)
        await scene.server.stop()
    }

    // MARK: The scheme of the store app

    @Test func `The URL of the request contains no secret of the login`() async throws {
        let scene = try await HandOffScene.opened()
        let url = try #require(scene.store.opened.first)
        let login = try #require(try scene.pendingLogin)
        let secrets = [login.state, login.nonce, login.verifier.secret].map(\.exposed)
        let attacker = try await attacker(scene.server)

        #expect(
            Set(url.drop { $0 != "?" }.split(whereSeparator: { "?&=".contains($0) }).map(String.init))
                .isSuperset(of: ["client_id", "request_uri"])
        )
        #expect(url.count { $0 == "=" } == 2)
        for secret in secrets + [login.verifier.challenge] { #expect(!url.contains(secret)) }
        // A program that opens the request learns what the store app shows, for its own account.
        let shown = try await attacker.authorizationApproval(for: url)
        #expect(secrets.allSatisfy { !"\(shown)".contains($0) })
        #expect(shown.account.hasSuffix("02"))
        await scene.server.stop()
    }

    /// A program that is registered for the store app's scheme can approve the request with its own account.
    ///
    /// An approval needs only the URI of the request and a session. The game is then logged in as the attacker, and
    /// shows the attacker's account (login CSRF). The attack needs a program on the device, which the system
    /// chooses as the handler of the scheme, and works once per request. The user's own account isn't affected.
    @Test func `A program in the role of the store app can only log the game in to its own account`()
        async throws
    {
        let scene = try await HandOffScene.opened()
        let url = try #require(scene.store.opened.first)
        let attacker = try await attacker(scene.server)

        let answer = try await attacker.authorizationApproval(for: url).approve()
        scene.open(answer)

        #expect(await scene.errors() == [nil])
        try await scene.expectOneLogin()
        let account = try scene.client.sessionState.session?.identity.id
        #expect(account == attacker.sessionState.session?.identity.id)
        // The real store app can't answer it anymore.
        await scene.store.answer(url, with: .approve)
        #expect(scene.store.errors.count == 1)
        #expect(scene.store.client.sessionState.session?.identity.id != account)
        await scene.server.stop()
    }

    @Test func `A program that opens the request first only prevents it`() async throws {
        let scene = try await HandOffScene.opened()
        let url = try #require(scene.store.opened.first)
        let attacker = try await attacker(scene.server)
        _ = try await attacker.authorizationApproval(for: url)

        await scene.store.answer(url, with: .approve)

        #expect(scene.store.errors.map(\.code) == [.flowUnknown])
        try await scene.logInByPhone()
        #expect(await scene.errors() == [nil])
        try await scene.expectNoTrace()
        await scene.server.stop()
    }

    @Test func `Only the game's key withdraws the request`() async throws {
        let scene = try await HandOffScene.opened()
        let uri = try #require(scene.store.opened.first).parameter("request_uri")
        let program = try await RawRequest(scene.server)

        for proves in [true, false] {
            _ = try await program.send([("token", uri)], to: Route.revocation, proves: proves)
        }

        // The program's own request is open, too.
        #expect(try await scene.server.openRequests() == 2)
        scene.open(try await scene.answer())
        #expect(await scene.errors() == [nil])
        try await scene.expectOneLogin()
        await scene.server.stop()
    }

    @Test(arguments: [
        "onside://authorize", "onside://authorize?client_id=com.example.arcade",
        "onside://authorize?client_id=com.example.arcade&request_uri=urn%3Ax&request_uri=urn%3Ay",
        "onside://evil?client_id=com.example.arcade&request_uri=urn%3Ax", "onside:authorize?client_id=x", "",
    ])
    func `The store app reads only complete requests`(url: String) async throws {
        let scene = try await HandOffScene.closed()

        await scene.store.answer(url, with: .approve)

        #expect(scene.store.errors.map(\.code) == [.invalidInput])
        // No user was asked to log in for it.
        #expect(scene.store.client.sessionState.session == nil)
        await scene.server.stop()
    }

    // MARK: The account

    @Test func `Only the account that was shown approves a request`() async throws {
        let scene = try await HandOffScene.opened()
        let url = try #require(scene.store.opened.first)
        let approval = try await scene.store.client.authorizationApproval(for: url)

        try await logInAnotherUser(scene)

        #expect(await failure { try await approval.approve() }?.code == .flowUnknown)
        #expect(await failure { try await approval.refuse() }?.code == .flowUnknown)
        #expect(try await scene.server.gameSessions() == 0 && scene.results.isEmpty)
        await scene.server.stop()
    }

    @Test func `A store app that was logged out approves no request, and presents no login`() async throws {
        let scene = try await HandOffScene.opened()
        let url = try #require(scene.store.opened.first)
        let approval = try await scene.store.client.authorizationApproval(for: url)

        scene.store.client.signOut()

        #expect(await failure { try await approval.approve() }?.code == .signedOut)
        #expect(scene.store.client.sessionState.session == nil && scene.results.isEmpty)
        await scene.server.stop()
    }

    // MARK: Requests that have ended

    @Test func `A request that the game has dismissed can't be approved`() async throws {
        let scene = try await HandOffScene.opened()
        let url = try #require(scene.store.opened.first)
        let approval = try await scene.store.client.authorizationApproval(for: url)

        try scene.login.dismiss()
        #expect(await scene.errors() == [.loginDiscarded])
        await eventually { scene.requests(to: Route.revocation) == 1 }

        #expect(await failure { try await approval.approve() }?.code == .flowExpired)
        #expect(await failure { try await approval.refuse() }?.code == .flowExpired)
        #expect(try await scene.server.openRequests() == 0)
        try await scene.expectNoLogin()
        await scene.server.stop()
    }

    @Test func `A request that has expired can't be approved, and the phone login goes on`() async throws {
        let scene = try await HandOffScene.opened()
        let url = try #require(scene.store.opened.first)
        let approval = try await scene.store.client.authorizationApproval(for: url)

        scene.server.time.advance(by: .seconds(600))

        // The server may have deleted the request already.
        let code = await failure { try await approval.approve() }?.code
        #expect([.flowExpired, .flowUnknown].contains(code))
        await scene.store.answer(url, with: .approve)
        #expect(scene.store.errors.count == 1 && scene.store.returned.isEmpty)
        await scene.isFormShown()
        #expect(try scene.login.handOffError?.code == .flowExpired)
        try await scene.expectNoLogin()
        await scene.server.stop()
    }

    /// Returns the error that a call throws, or `nil` if the call succeeds.
    private func failure(_ call: () async throws -> String) async -> LatchkeyError? {
        do {
            _ = try await call()
            return nil
        } catch {
            return error as? LatchkeyError
        }
    }
}
