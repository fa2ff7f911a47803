import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

private let email = "reader@example.org"

@Suite(.onEachDatabase) struct `Account recovery` {
    /// Returns the app of a reader who has signed up and verified an e-mail address.
    private func reader() async throws -> TestApp<MemoryStore> {
        let app = try TestApp(await TestServer(schema: "reader"))
        let created = try await app.client.signUp.register(
            ["email": .string(email)],
            password: TestAccount.password
        )
        try await created.verifications[0].verify(app.server.code(for: email))
        // The server only sends codes to an address every 30 seconds.
        app.server.time.advance(by: .seconds(61))
        return app
    }

    @Test func `After a recovery, only the new session and the new password are valid`() async throws {
        let first = try await reader()
        let app = try TestApp(first.server)

        let sent = try await app.client.recovery.sendCode(to: email)
        let recovered = try await sent.verify(app.server.code(for: email))
        try await recovered.setPassword("another-Horse-8")

        #expect(app.client.sessionState.session?.id == recovered.session.id)
        #expect(recovered.session.identity.email?.address == email)
        #expect(try await !first.client.checkSession().isSignedIn)
        #expect(try await app.client.checkSession().isSignedIn)
        let error = await failure {
            try await first.client.signIn(email: email, password: TestAccount.password)
        }
        #expect(error?.code == .invalidCredentials)
        try await first.client.signIn(email: email, password: "another-Horse-8")
    }

    @Test func `A customer who recovers an account by text message gets a certificate`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server)

        let sent = try await app.client.recovery.sendCode(to: TestAccount.phone)
        let recovered = try await sent.verify(server.code(for: TestAccount.phone))

        #expect(try await app.client.checkSession().isSignedIn)
        #expect(recovered.session.identity.schema == "customer")
        #expect(try await server.certificates(of: recovered.session.identity.id).keys == 1)
        try await recovered.setPassword("483920")
        try await TestApp(server).client.signIn(phone: TestAccount.phone, password: "483920")
    }

    @Test func `A wrong code is reported, and too many wrong codes end the recovery`() async throws {
        let app = try TestApp(await reader().server)
        let sent = try await app.client.recovery.sendCode(to: email)
        let wrong = TestServer.wrongCode(insteadOf: try await app.server.code(for: email))

        var codes: [LatchkeyError.Code?] = []
        for _ in 1...7 { codes.append(await failure { try await sent.verify(wrong) }?.code) }

        #expect(codes.first == .codeInvalid)
        #expect(codes.last == .flowExpired || codes.last == .tooManyRequests)
        #expect(app.isClean)
    }

    @Test func `After a restart, a recovery can be continued with a new code`() async throws {
        let app = try TestApp(await reader().server)
        let sent = try await app.client.recovery.sendCode(to: email)
        _ = try await app.server.code(for: email)
        app.server.time.advance(by: .seconds(31))

        try await app.server.restart()
        let step = try app.restarted().client.recovery.resume(sent.token)
        try await step.resend()

        let recovered = try await step.verify(app.server.code(for: email))
        #expect(recovered.session.identity.email?.address == email)
    }

    @Test func `A request for an unknown address appears to succeed but sends no code`() async throws {
        let app = try TestApp(await reader().server)

        let sent = try await app.client.recovery.sendCode(to: "unknown@example.org")

        #expect(await failure { try await sent.verify("000000") }?.code == .codeInvalid)
        #expect(app.server.codes.codes(for: "unknown@example.org").isEmpty)
    }

    @Test func `A code is only accepted once`() async throws {
        let app = try TestApp(await reader().server)
        let sent = try await app.client.recovery.sendCode(to: email)
        let code = try await app.server.code(for: email)
        let recovered = try await sent.verify(code)

        let error = await failure { try await sent.verify(code) }

        #expect(error?.code != nil)
        #expect(app.client.sessionState.session == recovered.session)
    }

    @Test func `A sign-out while a code is being submitted takes precedence`() async throws {
        let app = try TestApp(await reader().server)
        let sent = try await app.client.recovery.sendCode(to: email)
        let code = try await app.server.code(for: email)
        app.network.inject(.delay(.seconds(5)), on: .post, "/a/self-service/recovery")

        let recovery = Task { await failure { try await sent.verify(code) } }
        await app.server.time.sleepers(atLeast: 1)
        app.client.signOut()
        app.server.time.advance(by: .seconds(5))

        #expect(await recovery.value?.code == .signedOut)
        await app.network.settled()
        #expect(app.isClean)
    }
}
