import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

private let email = "reader@example.org"

@Suite(.onEachDatabase) struct `Account recovery` {
    /// Returns a server with a reader whose address is verified, along with the reader's first device.
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

    @Test func `A recovery logs in, ends the other sessions and sets a new password`() async throws {
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

    @Test func `A customer can recover by text message and gets a certificate`() async throws {
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

    @Test func `A recovery can be continued after restarts and can request another code`() async throws {
        let app = try TestApp(await reader().server)
        let sent = try await app.client.recovery.sendCode(to: email)
        _ = try await app.server.code(for: email)
        app.server.time.advance(by: .seconds(31))

        try await app.server.restart()
        let step = try app.restarted().client.recovery.codeSent(flow: sent.flow)
        try await step.resend()

        let recovered = try await step.verify(app.server.code(for: email))
        #expect(recovered.session.identity.email?.address == email)
    }

    @Test func `An unknown address looks like a known one but gets no code`() async throws {
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
