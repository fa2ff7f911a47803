import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Sign-ups with arbitrary traits` {
    @Test func `A user can sign up with a password, an e-mail address and other traits`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))

        let created = try await app.client.signUp.register(
            [
                "email": "reader@example.org", "name": ["given": "User", "family": "Test"],
                "birthday": "1999-12-31",
            ],
            password: TestAccount.password
        )

        #expect(created.session.identity.schema == "reader")
        #expect(app.client.sessionState.session == created.session)
        let profile = try await app.client.account.identity()
        #expect(profile.traits["name"]?["given"] == "User")
        #expect(profile.traits["birthday"] == "1999-12-31")
        #expect(profile.addresses.map(\.value) == ["reader@example.org"])
        #expect(profile.addresses.map(\.isVerified) == [false])
        let other = try TestApp(app.server)
        #expect(
            try await other.client.signIn(email: "reader@example.org", password: TestAccount.password)
                .identity.id == created.session.identity.id
        )
    }

    @Test func `The code that is sent during a sign-up verifies the address`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))
        let created = try await app.client.signUp.register(
            ["email": "reader@example.org"],
            password: TestAccount.password
        )

        let step = try #require(created.verifications.first)
        #expect(created.verifications.map(\.address) == ["reader@example.org"])
        try await step.verify(app.server.code(for: "reader@example.org"))

        #expect(try await app.client.account.identity().addresses.map(\.isVerified) == [true])
    }

    @Test func `A sign-up with a code can use a different schema`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))

        let sent = try await app.client.signUp.sendCode(
            for: ["phone": .string(TestAccount.phone), "region": "AT"],
            schema: "shopper"
        )
        let session = try await sent.verify(app.server.code(for: TestAccount.phone))

        #expect(session.identity.schema == "shopper")
        #expect(session.identity.phone?.e164 == TestAccount.phone)
        #expect(try await app.client.account.identity().traits["region"] == "AT")
    }

    @Test func `A sign-up with a code can be continued after restarts`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))
        let sent = try await app.client.signUp.sendCode(
            for: ["email": "reader@example.org", "display_name": "Reader"]
        )
        let code = try await app.server.code(for: "reader@example.org")

        try await app.server.restart()
        let restarted = try app.restarted()
        try await restarted.client.codeSignIn.resume(sent.token).verify(code)

        #expect(try await restarted.client.account.identity().traits["display_name"] == "Reader")
    }

    /// Starts a server on which another user has signed up with the reader's address without verifying it.
    private func claimed() async throws -> TestApp<MemoryStore> {
        let other = try TestApp(await TestServer(schema: "reader"))
        try await other.client.signUp.register(
            ["email": "reader@example.org"],
            password: "the-Other-user-1"
        )
        _ = try await other.server.code(for: "reader@example.org")
        other.server.time.advance(by: .seconds(31))
        return try TestApp(other.server)
    }

    @Test func `An address that another account claims is proven with a code`() async throws {
        let app = try await claimed()
        let messages = Locked<[String]>([])

        let created = try await app.client.signUp.register(
            ["email": "reader@example.org"],
            password: TestAccount.password
        ) { [server = app.server] message in
            let isFirst = messages.withLock { messages in
                messages.append(message)
                return messages.count == 1
            }
            return isFirst ? "000000" : try await server.code(for: "reader@example.org").description
        }

        #expect(app.client.sessionState.session == created.session)
        #expect(try await app.client.account.identity().addresses.map(\.isVerified) == [true])
        let shown = messages.withLock { $0 }
        #expect(shown.count == 2)
        #expect(shown.first?.contains("…@example.org") == true)
        #expect(shown.first != shown.last)
    }

    @Test func `A sign-up ends after too many wrong codes`() async throws {
        let app = try await claimed()
        let count = Locked(0)

        let error = await failure {
            try await app.client.signUp.register(
                ["email": "reader@example.org"],
                password: TestAccount.password
            ) { _ in
                count.withLock { $0 += 1 }
                return "000000"
            }
        }

        #expect(error?.code == .accountExists)
        #expect(error?.fields.map(\.name) == ["code"])
        #expect(count.withLock { $0 } == 6)
        #expect(app.client.sessionState.session == nil)
    }

    @Test(arguments: [true, false])
    func `A sign-up with a claimed address fails without a code`(asks: Bool) async throws {
        struct Failure: Error {}
        let app = try await claimed()
        let ask: @Sendable (String) async throws -> String = { _ in throw Failure() }
        let error = await failure {
            try await app.client.signUp.register(
                ["email": "reader@example.org"],
                password: TestAccount.password,
                askForCode: asks ? ask : nil
            )
        }
        #expect(error?.code == (asks ? .cancelled : .accountExists))
        #expect((error?.cause is Failure) == asks)
    }

    @Test func `Another code can be requested during a sign-up`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))
        let sent = try await app.client.signUp.sendCode(for: ["email": "reader@example.org"])
        _ = try await app.server.code(for: "reader@example.org")
        app.server.time.advance(by: .seconds(31))

        try await sent.resend()

        try await sent.verify(app.server.code(for: "reader@example.org"))
    }

    @Test func `A customer with a verified phone number can sign up with additional traits`() async throws {
        let app = try TestApp(await TestServer())

        let created = try await app.verifiedPhone().finish(
            password: TestAccount.passcode,
            traits: ["email": "user@example.org"]
        )

        #expect(created.session.identity.phone?.e164 == TestAccount.phone)
        #expect(created.session.identity.email?.address == "user@example.org")
        #expect(created.verifications.map(\.address) == ["user@example.org"])
        #expect(try await app.client.checkSession().isSignedIn)
    }

    @Test func `A rejected field is reported by name`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))

        let traits = await failure {
            try await app.client.signUp.register(
                ["email": "reader@example.org", "birthday": "yesterday"],
                password: TestAccount.password
            )
        }
        let password = await failure {
            try await app.client.signUp.register(["email": "reader@example.org"], password: "90817")
        }
        let empty = await failure {
            try await app.client.signUp.register(["email": "reader@example.org"], password: "")
        }

        #expect(traits?.code == .invalidInput)
        #expect(traits?.fields.map(\.name) == ["traits.birthday"])
        #expect(password?.fields.map(\.name) == ["password"])
        #expect("\(String(describing: password)) \(password?.fields ?? [])".contains("90817") == false)
        #expect(empty?.code == .invalidInput)
        #expect(app.isClean)
    }

    @Test func `A sign-up with the address of an existing account is rejected`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))
        try await app.client.signUp.register(["email": "reader@example.org"], password: TestAccount.password)
        app.client.signOut()

        let error = await failure {
            try await app.client.signUp.register(
                ["email": "READER@example.org"],
                password: TestAccount.password
            )
        }

        #expect(error?.code == .accountExists)
        #expect(app.isClean)
    }

    @Test func `A schema that is closed for registration is reported as a disabled flow`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))

        let error = await failure {
            try await app.client.signUp.register(
                ["email": "a@example.org"],
                password: "x",
                schema: "business"
            )
        }

        #expect(error?.code == .flowDisabled)
    }

    @Test func `An account is created even if the server starts no session after the sign-up`() async throws {
        let app = try TestApp(await TestServer(schema: "reader", opensSession: false))

        let error = await failure {
            try await app.client.signUp.register(
                ["email": "reader@example.org"],
                password: TestAccount.password
            )
        }

        #expect(error?.code == .accountCreated)
        #expect(app.isClean)
        try await app.client.signIn(email: "reader@example.org", password: TestAccount.password)
    }

    @Test func `An app's own type can be encoded to and decoded from traits`() async throws {
        struct Reader: Codable, Equatable {
            var email: String
            var birthday: String?
        }
        let app = try TestApp(await TestServer(schema: "reader"))
        let reader = Reader(email: "reader@example.org", birthday: "1999-12-31")

        try await app.client.signUp.register(.init(encoding: reader), password: TestAccount.password)

        #expect(try await app.client.account.identity().traits.decoded(as: Reader.self) == reader)
        #expect(throws: LatchkeyError.self) {
            try LatchkeyCore.Traits(["birthday": 7]).decoded(as: Reader.self)
        }
        #expect(throws: LatchkeyError.self) { try LatchkeyCore.Traits(encoding: [1, 2]) }
        let unencodable = #expect(throws: LatchkeyError.self) {
            try LatchkeyCore.Traits(encoding: ["email": Double.nan])
        }
        #expect(unencodable?.code == .invalidInput && unencodable?.cause is EncodingError)
    }
}
