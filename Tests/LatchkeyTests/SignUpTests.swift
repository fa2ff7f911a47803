import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Sign-up with a real server` {
    @Test func `A sign-up creates a session, and the user can log in on another device`() async throws {
        let server = try await TestServer()
        let app = try TestApp(server)

        let session = try await app.verifiedPhone().finish(
            password: TestAccount.passcode,
            name: TestAccount.name
        )

        #expect(session.identity.schema == "customer")
        #expect(session.identity.phone?.e164 == TestAccount.phone)
        #expect(session.identity.name == TestAccount.name)
        #expect(try await app.client.checkSession().session?.id == session.id)
        let other = try TestApp(server)
        #expect(
            try await other.client.signIn(phone: "+43 999 999 9999", password: TestAccount.passcode).identity
                .id
                == session.identity.id
        )
    }

    @Test func `A sign-up and a login return the session's expiry date from the server`() async throws {
        let server = try await TestServer()
        let app = try TestApp(server)

        let created = try await app.verifiedPhone().finish(
            password: TestAccount.passcode,
            name: TestAccount.name
        )
        #expect(created.expiresAt == (server.time.now + .seconds(30 * 86_400)).date)
        #expect(app.client.sessionState.session?.expiresAt == created.expiresAt)
        #expect(try await app.client.checkSession().session?.expiresAt == created.expiresAt)

        server.time.advance(by: .seconds(3600))
        let session = try await app.client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        #expect(session.expiresAt == (server.time.now + .seconds(30 * 86_400)).date)
        #expect(try await app.client.checkSession().session?.expiresAt == session.expiresAt)
    }

    @Test func `A sign-up can be continued after restarts of the app and the server`() async throws {
        let server = try await TestServer()
        let app = try TestApp(server)
        let flow = try await app.client.signUp.begin(phone: TestAccount.phone).token.flow

        try await server.restart()
        let restarted = try app.restarted()
        let verified = try await restarted.client.signUp.resume(StepToken(flow: flow, kind: .registration))
            .verify(
                server.code(for: TestAccount.phone)
            )
        let session = try await verified.finish(
            password: TestAccount.passcode,
            name: TestAccount.name,
            email: "user@example.org",
            phone: TestAccount.phone
        )

        #expect(session.identity.email?.address == "user@example.org")
    }

    @Test func `Wrong, expired and used codes and too many attempts have different errors`() async throws {
        let server = try await TestServer()
        let sent = try await TestApp(server).client.signUp.begin(phone: TestAccount.phone)
        let code = try await server.code(for: TestAccount.phone)
        let wrong = code == "000000" ? "000001" : "000000"

        #expect(await failure { try await sent.verify(wrong) }?.code == .codeInvalid)
        _ = try await sent.verify(code)
        #expect(await failure { try await sent.verify(code) }?.code == .codeUsed)

        server.time.advance(by: .seconds(31))
        try await sent.resend()
        server.time.advance(by: .seconds(601))
        let expired = await failure { try await sent.verify(server.code(for: TestAccount.phone)) }
        #expect(expired?.code == .codeExpired || expired?.code == .flowExpired)

        let second = try await TestApp(server).client.signUp.begin(phone: TestAccount.phone)
        _ = try await server.code(for: TestAccount.phone)
        for _ in 1...5 { _ = await failure { try await second.verify(wrong) } }
        let last = await failure { try await second.verify(wrong) }
        #expect(last?.code == .codeAttemptsExhausted || last?.code == .tooManyRequests)
    }

    @Test func `The error for too many codes contains the time to wait`() async throws {
        let sent = try await TestApp(TestServer()).client.signUp.begin(phone: TestAccount.phone)

        let error = await failure { try await sent.resend() }

        #expect(error?.code == .tooManyRequests)
        guard case .after(let delay) = error?.retry else {
            Issue.record("The error contains no time to wait.")
            return
        }
        #expect((.seconds(1)...(.seconds(30))).contains(delay))
    }

    @Test func `A code that cannot be delivered is reported`() async throws {
        let server = try await TestServer()
        server.codes.fail(.refused)

        let error = await failure { try await TestApp(server).client.signUp.begin(phone: TestAccount.phone) }

        #expect(error?.code == .deliveryFailed)
    }

    @Test func `A sign-up with a phone number other than the verified one is rejected`() async throws {
        let server = try await TestServer()
        let app = try TestApp(server)
        let verified = try await app.verifiedPhone()

        let other = await failure {
            try await verified.finish(password: "000000", name: TestAccount.name, phone: "+438888888888")
        }
        let unverified = await failure {
            let sent = try await app.client.signUp.begin(phone: "+437777777777")
            let step = app.client.signUp.resumeVerified(
                StepToken(flow: sent.token.flow, kind: .registration, address: "+437777777777")
            )
            return try await step.finish(password: "000000", name: TestAccount.name)
        }

        #expect(other?.code == .phoneNotVerified)
        #expect(unverified?.code == .phoneNotVerified)
        #expect(unverified?.fields.map(\.name) == ["traits.phone"])
        #expect(app.isClean)
    }

    @Test func `A sign-up with the number of an existing account is rejected`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server)

        let error = await failure {
            try await app.verifiedPhone().finish(password: "000000", name: TestAccount.name)
        }

        #expect(error?.code == .accountExists)
        #expect(app.isClean)
    }

    @Test func `The error for a short passcode names the field`() async throws {
        let app = try TestApp(await TestServer())

        let error = await failure {
            try await app.verifiedPhone().finish(password: "90817", name: TestAccount.name)
        }

        #expect(error?.code == .invalidInput)
        #expect(error?.fields.map(\.name) == ["password"])
        #expect("\(String(describing: error))".contains("90817") == false)
    }

    @Test(arguments: [NetworkFault.unreachable, .dropRequest, .dropResponse])
    func `If no certificate is issued, a sign-up stores no session but the user can log in later`(
        _ fault: NetworkFault
    ) async throws {
        let app = try TestApp(await TestServer())
        let verified = try await app.verifiedPhone()
        app.network.inject(fault, on: .put, Route.certificates, times: 4)

        let error = await app.server.time.advancing(by: .seconds(1)) {
            await failure {
                try await verified.finish(password: TestAccount.passcode, name: TestAccount.name)
            }
        }

        #expect(error?.code == .accountCreated)
        #expect(error?.isStillSignedIn == false)
        #expect(app.isClean)
        try await app.client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        #expect(try await app.client.checkSession().session != nil)
    }

    @Test(arguments: [NetworkFault.unreachable, .dropRequest, .dropResponse])
    func `A sign-up completes when the certificate is issued late`(_ fault: NetworkFault) async throws {
        let app = try TestApp(await TestServer())
        let verified = try await app.verifiedPhone()
        app.network.inject(fault, on: .put, Route.certificates, times: 2)

        let error = await app.server.time.advancing(by: .seconds(1)) {
            await failure {
                try await verified.finish(password: TestAccount.passcode, name: TestAccount.name)
            }
        }

        #expect(error == nil)
        #expect(try await app.client.checkSession().session != nil)
    }
}
