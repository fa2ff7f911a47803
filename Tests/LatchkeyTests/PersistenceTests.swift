import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Persistence of logins` {
    private static let email = "user@example.org"
    private static let password = "correct horse battery"

    /// A way to log in.
    struct Login: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let perform: @Sendable (TestApp<MemoryStore>, Persistence) async throws -> UserSession
    }

    private static let logins = [
        Login(testDescription: "a phone number and a password") { app, persistence in
            try await app.client.signIn(
                phone: TestAccount.phone,
                password: password,
                persistence: persistence
            )
        },
        Login(testDescription: "an e-mail address and a password") { app, persistence in
            try await app.client.signIn(email: email, password: password, persistence: persistence)
        },
        Login(testDescription: "an identifier and a password") { app, persistence in
            try await app.client.signIn(identifier: email, password: password, persistence: persistence)
        },
    ]

    private static func app() async throws -> TestApp<MemoryStore> {
        let server = try await TestServer()
        try await server.addPerson(email: email, phone: TestAccount.phone, password: password)
        return try TestApp(server)
    }

    @Test(arguments: logins) func `A login is not stored on the device if the app opts out`(
        _ login: Login
    ) async throws {
        let app = try await Self.app()

        let session = try await login.perform(app, .memory)

        #expect(app.client.sessionState == .signedIn(session))
        #expect(await app.client.storage.level == .memory)
        #expect(try await app.client.checkSession().session != nil)
        #expect(try app.restarted().client.sessionState == .signedOut)
    }

    @Test(arguments: logins) func `A login is stored on the device by default`(_ login: Login) async throws {
        let app = try await Self.app()

        let session = try await login.perform(app, .device)

        #expect(try app.restarted().client.sessionState == .signedIn(session))
    }

    @Test func `A sign-up's session is not stored on the device if the app opts out`() async throws {
        let app = try TestApp(try await TestServer())

        try await app.verifiedPhone().finish(
            password: TestAccount.passcode,
            name: TestAccount.name,
            persistence: .memory
        )

        #expect(app.isLoggedIn)
        #expect(try app.restarted().client.sessionState == .signedOut)
    }

    @Test func `A login whose session is not stored deletes any stored session`() async throws {
        let app = try await Self.app()
        _ = try await app.client.signIn(email: Self.email, password: Self.password)

        try await app.client.signIn(email: Self.email, password: Self.password, persistence: .memory)
        #expect(app.isLoggedIn)
        #expect(try app.restarted().client.sessionState == .signedOut)

        #expect(app.client.signOut().storageFailure == nil)
        #expect(app.isClean)
    }
}
