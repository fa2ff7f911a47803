import Latchkey
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `A sign-up with a real server` {
    @Test func `ends in a session, and the account can log in elsewhere`() async throws {
        let server = try await TestServer()
        let handset = try Handset(server)

        let session = try await handset.verifiedPhone().finish(password: Handset.passcode, name: Handset.name)

        #expect(session.identity.schema == "customer")
        #expect(session.identity.phone?.e164 == Handset.phone)
        #expect(session.identity.name == Handset.name)
        #expect(try await handset.client.checkSession().session?.id == session.id)
        let other = try Handset(server)
        #expect(
            try await other.client.signIn(phone: "+43 999 999 9999", password: Handset.passcode).identity.id
                == session.identity.id
        )
    }

    @Test func `and a login return the expiry that the server's session has`() async throws {
        let server = try await TestServer()
        let handset = try Handset(server)

        let created = try await handset.verifiedPhone().finish(password: Handset.passcode, name: Handset.name)
        #expect(created.expiresAt == server.time.now + .seconds(30 * 86_400))
        #expect(handset.client.sessionState.session?.expiresAt == created.expiresAt)
        #expect(try await handset.client.checkSession().session?.expiresAt == created.expiresAt)

        server.time.advance(by: .seconds(3600))
        let session = try await handset.client.signIn(phone: Handset.phone, password: Handset.passcode)
        #expect(session.expiresAt == server.time.now + .seconds(30 * 86_400))
        #expect(try await handset.client.checkSession().session?.expiresAt == session.expiresAt)
    }

    @Test func `goes on after the app and the server were started again`() async throws {
        let server = try await TestServer()
        let handset = try Handset(server)
        let flow = try await handset.client.signUp.begin(phone: Handset.phone).flow

        try await server.restart()
        let restarted = try handset.restarted()
        let verified = try await restarted.client.signUp.codeSent(flow: flow).verify(
            server.code(for: Handset.phone)
        )
        let session = try await verified.finish(
            password: Handset.passcode,
            name: Handset.name,
            email: "user@example.org",
            phone: Handset.phone
        )

        #expect(session.identity.email?.address == "user@example.org")
    }

    @Test func `tells a wrong code from an old one, a used one and one guess too many`() async throws {
        let server = try await TestServer()
        let sent = try await Handset(server).client.signUp.begin(phone: Handset.phone)
        let code = try await server.code(for: Handset.phone)
        let wrong = code == "000000" ? "000001" : "000000"

        #expect(await failure { try await sent.verify(wrong) }?.code == .codeInvalid)
        _ = try await sent.verify(code)
        #expect(await failure { try await sent.verify(code) }?.code == .codeUsed)

        server.time.advance(by: .seconds(31))
        try await sent.resend()
        server.time.advance(by: .seconds(601))
        let expired = await failure { try await sent.verify(server.code(for: Handset.phone)) }
        #expect(expired?.code == .codeExpired || expired?.code == .flowExpired)

        let second = try await Handset(server).client.signUp.begin(phone: Handset.phone)
        _ = try await server.code(for: Handset.phone)
        for _ in 1...5 { _ = await failure { try await second.verify(wrong) } }
        let last = await failure { try await second.verify(wrong) }
        #expect(last?.code == .codeAttemptsExhausted || last?.code == .tooManyRequests)
    }

    @Test func `says when to ask for another code`() async throws {
        let sent = try await Handset(TestServer()).client.signUp.begin(phone: Handset.phone)

        let error = await failure { try await sent.resend() }

        #expect(error?.code == .tooManyRequests)
        guard case .after(let delay) = error?.retry else {
            Issue.record("It does not say when.")
            return
        }
        #expect((.seconds(1)...(.seconds(30))).contains(delay))
    }

    @Test func `says that a phone cannot be reached`() async throws {
        let server = try await TestServer()
        server.codes.fail(.refused)

        let error = await failure { try await Handset(server).client.signUp.begin(phone: Handset.phone) }

        #expect(error?.code == .deliveryFailed)
    }

    @Test func `needs the phone that was verified`() async throws {
        let server = try await TestServer()
        let handset = try Handset(server)
        let verified = try await handset.verifiedPhone()

        let other = await failure {
            try await verified.finish(password: "000000", name: Handset.name, phone: "+438888888888")
        }
        let unverified = await failure {
            let sent = try await handset.client.signUp.begin(phone: "+437777777777")
            let step = handset.client.signUp.phoneVerified(flow: sent.flow, phone: "+437777777777")
            return try await step.finish(password: "000000", name: Handset.name)
        }

        #expect(other?.code == .phoneNotVerified)
        #expect(unverified?.code == .phoneNotVerified)
        #expect(unverified?.fields.map(\.name) == ["traits.phone"])
        #expect(handset.isClean)
    }

    @Test func `of a number that has an account says so`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: Handset.phone, passcode: Handset.passcode)
        let handset = try Handset(server)

        let error = await failure {
            try await handset.verifiedPhone().finish(password: "000000", name: Handset.name)
        }

        #expect(error?.code == .accountExists)
        #expect(handset.isClean)
    }

    @Test func `with a passcode that is too short says so beside it`() async throws {
        let handset = try Handset(await TestServer())

        let error = await failure {
            try await handset.verifiedPhone().finish(password: "90817", name: Handset.name)
        }

        #expect(error?.code == .invalidInput)
        #expect(error?.fields.map(\.name) == ["password"])
        #expect("\(String(describing: error))".contains("90817") == false)
    }

    @Test(arguments: [NetworkFault.unreachable, .dropRequest, .dropAnswer])
    func `whose certificate never comes leaves nothing, and a login finishes it`(
        _ fault: NetworkFault
    ) async throws {
        let handset = try Handset(await TestServer())
        let verified = try await handset.verifiedPhone()
        handset.transport.inject(fault, on: .put, Handset.certificates, times: 4)

        let error = await handset.advancing {
            await failure { try await verified.finish(password: Handset.passcode, name: Handset.name) }
        }

        #expect(error?.code == .accountCreated)
        #expect(error?.sessionHolds == false)
        #expect(handset.isClean)
        try await handset.client.signIn(phone: Handset.phone, password: Handset.passcode)
        #expect(try await handset.client.checkSession().session != nil)
    }

    @Test(arguments: [NetworkFault.unreachable, .dropRequest, .dropAnswer])
    func `whose certificate comes late is complete`(_ fault: NetworkFault) async throws {
        let handset = try Handset(await TestServer())
        let verified = try await handset.verifiedPhone()
        handset.transport.inject(fault, on: .put, Handset.certificates, times: 2)

        let error = await handset.advancing {
            await failure { try await verified.finish(password: Handset.passcode, name: Handset.name) }
        }

        #expect(error == nil)
        #expect(try await handset.client.checkSession().session != nil)
    }
}
