import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// The addresses of the account that the tests log in to.
private let email = "reader@example.org"
private let phone = "+4670000001"

@Suite(.onEachDatabase) struct `Logins with a code` {
    /// Returns an app without a logged-in user, and a server with a reader's account.
    private func app(logsExistingUsersIn: Bool = false) async throws -> TestApp<MemoryStore> {
        let server = try await TestServer(schema: "reader", logsExistingUsersIn: logsExistingUsersIn)
        let other = try TestApp(server)
        let created = try await other.client.signUp.register(
            ["email": .string(email), "phone": .string(phone)],
            password: TestAccount.password
        )
        for step in created.verifications {
            try await step.verify(server.code(for: try #require(step.address)))
        }
        other.client.signOut()
        // The server only sends codes to an address every 30 seconds.
        server.time.advance(by: .seconds(61))
        return try TestApp(server)
    }

    @Test(arguments: [email, phone, "+46 (70) 000-001"])
    func `Users can log in with a code sent by e-mail or text message`(_ address: String) async throws {
        let app = try await app()

        let sent = try await app.client.codeSignIn.sendCode(to: address)
        let session = try await sent.verify(app.server.code(for: address))

        #expect(session.identity.email?.address == email)
        #expect(app.client.sessionState.session?.id == session.id)
        #expect(try await app.client.checkSession().session?.id == session.id)
    }

    @Test func `A code may contain spaces and a dash`() async throws {
        let app = try await app()

        let sent = try await app.client.codeSignIn.sendCode(to: email)
        let code = try await app.server.code(for: email)

        try await sent.verify(" \(code.prefix(3))-\(code.suffix(3)) ")
        #expect(app.isLoggedIn)
    }

    @Test func `The user can log in with the correct code after entering a wrong one`() async throws {
        let app = try await app()
        let sent = try await app.client.codeSignIn.sendCode(to: email)
        let code = try await app.server.code(for: email)
        let wrong = TestServer.wrongCode(insteadOf: code)

        let error = await failure { try await sent.verify(wrong) }
        let malformed = await failure { try await sent.verify("12345") }

        #expect(error?.code == .codeInvalid)
        #expect(error?.isStillSignedIn == false)
        #expect(malformed?.code == .codeInvalid)
        #expect(malformed?.fields.map(\.name) == ["code"])
        #expect("\(String(describing: error)) \(error?.fields ?? [])".contains(wrong) == false)
        #expect(app.isClean)
        try await sent.verify(code)
        #expect(app.isLoggedIn)
    }

    @Test func `Requesting another code replaces the previous one`() async throws {
        let app = try await app()
        let sent = try await app.client.codeSignIn.sendCode(to: email)
        let first = try await app.server.code(for: email)
        app.server.time.advance(by: .seconds(31))

        try await sent.resend()
        let second = try await app.server.code(for: email)

        if first != second { #expect(await failure { try await sent.verify(first) }?.code == .codeInvalid) }
        try await sent.verify(second)
    }

    @Test func `The error for requesting codes too often contains the time to wait`() async throws {
        let app = try await app()
        let sent = try await app.client.codeSignIn.sendCode(to: email)

        var error: LatchkeyError?
        for _ in 1...20 where error == nil { error = await failure { try await sent.resend() } }

        #expect(error?.code == .tooManyRequests)
        guard case .after = error?.retry else {
            Issue.record("The error contains no time to wait: \(String(describing: error?.retry))")
            return
        }
    }

    @Test func `A login can be continued after restarts of the app and the server`() async throws {
        let app = try await app()
        let sent = try await app.client.codeSignIn.sendCode(to: email)
        let code = try await app.server.code(for: email)

        try await app.server.restart()
        let restarted = try app.restarted()
        let step = restarted.client.codeSignIn.resume(sent.token)

        #expect(try await step.verify(code).identity.email?.address == email)
    }

    @Test func `Another code can be requested from a recreated step`() async throws {
        let app = try await app()
        let sent = try await app.client.codeSignIn.sendCode(to: email)
        _ = try await app.server.code(for: email)
        app.server.time.advance(by: .seconds(31))

        let step = app.client.codeSignIn.resume(sent.token)
        try await step.resend()

        try await step.verify(app.server.code(for: email))
    }

    @Test func `A request for an unknown address appears to succeed but sends no code`() async throws {
        let app = try await app()

        let sent = try await app.client.codeSignIn.sendCode(to: "unknown@example.org")
        let error = await failure { try await sent.verify("000000") }

        #expect(error?.code == .codeInvalid)
        #expect(app.server.codes.messages(for: "unknown@example.org").isEmpty)
    }

    @Test(arguments: ["", "reader", "+", "@example.org", "0670000001"])
    func `Text that is not an address is rejected before a request is sent`(_ text: String) async throws {
        let app = try TestApp(await TestServer())

        let error = await failure { try await app.client.codeSignIn.sendCode(to: text) }

        #expect(error?.code == .invalidInput)
        #expect(app.identityExchanges.isEmpty)
    }

    @Test func `Only the submission of the code contains a proof of the device key`() async throws {
        let app = try await app()
        let sent = try await app.client.codeSignIn.sendCode(to: email)
        try await sent.verify(app.server.code(for: email))

        let proofs = app.identityExchanges.filter { $0.request.path == "/a/self-service/login" }
            .map { $0.request.headers["DPoP"] != nil }

        #expect(proofs == [false, true])
    }

    @Test func `An expired code is reported as expired or wrong`() async throws {
        let app = try await app()
        let sent = try await app.client.codeSignIn.sendCode(to: email)
        let code = try await app.server.code(for: email)

        app.server.time.advance(by: .seconds(601))
        let error = await failure { try await sent.verify(code) }

        #expect(error?.code == .codeInvalid || error?.code == .flowExpired)
        #expect(app.isClean)
    }

    @Test func `A code is only accepted once`() async throws {
        let app = try await app()
        let sent = try await app.client.codeSignIn.sendCode(to: email)
        let code = try await app.server.code(for: email)
        try await sent.verify(code)
        let session = app.client.sessionState.session

        let error = await failure { try await sent.verify(code) }

        #expect(error?.code == .flowExpired)
        #expect(error?.isStillSignedIn == true)
        #expect(app.client.sessionState.session == session)
    }

    @Test func `A sign-out while a code is being submitted takes precedence`() async throws {
        let app = try await app()
        let sent = try await app.client.codeSignIn.sendCode(to: email)
        let code = try await app.server.code(for: email)
        app.network.inject(.delay(.seconds(5)), on: .post, "/a/self-service/login")

        let login = Task { await failure { try await sent.verify(code) } }
        await app.server.time.sleepers(atLeast: 1)
        app.client.signOut()
        app.server.time.advance(by: .seconds(5))

        #expect(await login.value?.code == .signedOut)
        await app.network.settled()
        #expect(app.isClean)
    }

    @Test func `A newer login supersedes the submission of a code`() async throws {
        let app = try await app()
        let sent = try await app.client.codeSignIn.sendCode(to: email)
        let code = try await app.server.code(for: email)
        app.network.inject(.delay(.seconds(5)), on: .post, "/a/self-service/login")

        let login = Task { await failure { try await sent.verify(code) } }
        await app.server.time.sleepers(atLeast: 1)
        try await app.client.signIn(email: email, password: TestAccount.password)
        app.server.time.advance(by: .seconds(5))

        #expect(await login.value?.code == .superseded)
        #expect(app.isLoggedIn)
    }

    // MARK: Users with and without an account

    @Test func `The same calls log in an existing user or create a new account`() async throws {
        let app = try await app(logsExistingUsersIn: true)
        let known = try await app.client.signIn(email: email, password: TestAccount.password).identity.id

        var accounts: [String] = []
        for address in [email, "new@example.org", "new@example.org", "+4670000002"] {
            app.server.time.advance(by: .seconds(61))
            let sent = try await app.client.codeSignIn.sendCode(to: address, orSignUpWith: [:])
            accounts.append(try await sent.verify(app.server.code(for: address)).identity.id)
        }

        #expect(accounts[0] == known)
        #expect(accounts[1] != known)
        #expect(accounts[2] == accounts[1])
        #expect(!accounts[0...2].contains(accounts[3]))
    }

    @Test func `Existing users need a second code if the server does not log them in`() async throws {
        let app = try await app()

        let sent = try await app.client.codeSignIn.sendCode(to: email, orSignUpWith: [:])
        let first = try await app.server.code(for: email)
        // The server only sends codes to an address every 30 seconds. Until then, the first code stays valid.
        #expect(await failure { try await sent.verify(first) }?.code == .tooManyRequests)
        app.server.time.advance(by: .seconds(31))
        #expect(await failure { try await sent.verify(first) }?.code == .anotherCodeSent)
        #expect(app.isClean)
        #expect(sent.token.kind == .login)
        let session = try await sent.verify(app.server.code(for: email))

        #expect(session.identity.email?.address == email)
    }

    @Test func `A new account gets the given traits and schema`() async throws {
        let app = try await app()

        let sent = try await app.client.codeSignIn.sendCode(
            to: "+4670000003",
            orSignUpWith: ["region": "SE"],
            schema: "shopper"
        )
        let session = try await sent.verify(app.server.code(for: "+4670000003"))

        #expect(session.identity.schema == "shopper")
        #expect(try await app.client.account.identity().traits["region"] == "SE")
    }

    @Test func `An address is rejected if the schema has no field for it`() async throws {
        let app = try await app()
        let count = app.server.codes.messages(for: email).count

        let error = await failure {
            try await app.client.codeSignIn.sendCode(to: email, orSignUpWith: [:], schema: "shopper")
        }

        #expect(error?.code == .invalidInput)
        #expect(app.server.codes.messages(for: email).count == count)
    }
}
