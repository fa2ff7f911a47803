import Foundation
import Latchkey
import LatchkeyTestKit
import TestDatabases
import TestProcesses
import Testing

/// Tests the client with an Ory Kratos server, which does not issue device certificates.
///
/// These tests are skipped unless `LATCHKEY_TEST_KRATOS` contains the path of the program.
@Suite(
    .enabled(if: KratosServer.program != nil, "LATCHKEY_TEST_KRATOS does not name a Kratos program."),
    .serialized,
    .timeLimit(.minutes(5))
)
struct `Flows with Ory Kratos` {
    private static let password = "correct-Horse-7-battery"
    private static let newPassword = "another-Horse-8-battery"
    private static let email = "user@example.org"
    private static let phone = "+46701740605"

    /// Starts a server.
    private func server() async throws -> KratosServer {
        try await KratosServer(#require(KratosServer.program))
    }

    /// Returns a new device.
    private func device(_ server: KratosServer, store: MemoryStore = MemoryStore()) throws -> LatchkeyClient {
        try LatchkeyClient(server: server.url, app: "com.example.shop") {
            $0.basePath = ""
            $0.store = store
            $0.transport = try CurlTransport()
            $0.languages = []
        }
    }

    /// Returns a server and a device whose user has signed up with a verified e-mail address.
    private func user() async throws -> (KratosServer, LatchkeyClient) {
        let server = try await server()
        let client = try device(server)
        let created = try await client.signUp.register(
            ["email": .string(Self.email), "nickname": "nick"],
            password: Self.password
        )
        try await #require(created.verifications.first).verify(server.code(for: Self.email))
        return (server, client)
    }

    @Test func `A user can sign up with a password, log in and sign out`() async throws {
        let (server, client) = try await user()
        let profile = try await client.account.identity()
        #expect(profile.traits["nickname"] == "nick")
        #expect(profile.addresses.map(\.isVerified) == [true])

        let other = try device(server)
        let wrong = await failure { try await other.signIn(email: Self.email, password: "wrong-Horse") }
        let session = try await other.signIn(email: Self.email, password: Self.password)

        #expect(wrong?.code == .invalidCredentials)
        #expect(session.identity.id == profile.id)
        #expect(try await other.checkSession().isSignedIn)
        other.signOut()
        #expect(!other.sessionState.isSignedIn)
    }

    @Test func `Rejected fields and existing accounts are reported`() async throws {
        let (server, _) = try await user()
        let client = try device(server)

        let short = await failure {
            try await client.signUp.register(["email": "b@example.org"], password: "a")
        }
        let long = await failure {
            try await client.signUp.register(
                ["email": "b@example.org", "nickname": "a nickname that is too long"],
                password: Self.password
            )
        }
        let existing = await failure {
            try await client.signUp.register(["email": .string(Self.email)], password: Self.password)
        }

        #expect(short?.fields.map(\.name) == ["password"])
        #expect(long?.fields.map(\.name) == ["traits.nickname"])
        #expect(existing?.code == .accountExists)
        #expect(!client.sessionState.isSignedIn)
    }

    @Test func `A user can request a second code and log in with it`() async throws {
        let (server, _) = try await user()
        let client = try device(server)

        let sent = try await client.codeSignIn.sendCode(to: Self.email)
        let first = try await server.code(for: Self.email)
        let wrong = await failure {
            try await sent.verify(first == "000000" ? "000001" : "000000")
        }
        try await sent.resend()
        let second = try await server.code(for: Self.email)
        let session = try await device(server).codeSignIn.resume(sent.token).verify(second)

        #expect(wrong?.code == .codeInvalid)
        #expect(session.identity.email?.address == Self.email)
        let unknown = await failure { try await client.codeSignIn.sendCode(to: "unknown@example.org") }
        #expect(unknown?.code == .accountNotFound)
    }

    @Test func `A user can sign up with a code from a text message`() async throws {
        let server = try await server()
        let client = try device(server)

        let sent = try await client.signUp.sendCode(for: ["phone": .string(Self.phone), "nickname": "nick"])
        let session = try await sent.verify(server.code(for: Self.phone))

        #expect(session.identity.phone?.e164 == Self.phone)
        #expect(try await client.account.identity().traits["nickname"] == "nick")
    }

    @Test func `New and existing users can log in with the same calls`() async throws {
        let (server, _) = try await user()
        let client = try device(server)

        let new = try await client.codeSignIn.sendCode(to: Self.phone, orSignUpWith: ["nickname": "new"])
        try await new.verify(server.code(for: Self.phone))
        #expect(try await client.account.identity().traits["nickname"] == "new")

        let known = try await client.codeSignIn.sendCode(to: Self.email, orSignUpWith: [:])
        let error = await failure { try await known.verify(server.code(for: Self.email)) }
        #expect(error?.code == .anotherCodeSent)
        try await known.verify(server.code(for: Self.email))
        #expect(try await client.account.identity().traits["nickname"] == "nick")
    }

    @Test func `A recovery sets a new password`() async throws {
        let (server, _) = try await user()
        let client = try device(server)

        let sent = try await client.recovery.sendCode(to: Self.email)
        let code = try await server.code(for: Self.email)
        let wrong = await failure { try await sent.verify(code == "000000" ? "000001" : "000000") }
        let recovered = try await sent.verify(code)
        try await recovered.setPassword(Self.newPassword)

        #expect(wrong?.code == .codeInvalid)
        try await device(server).signIn(email: Self.email, password: Self.newPassword)
    }

    @Test func `A change that requires a recent login succeeds after re-authenticating`() async throws {
        let (server, client) = try await user()
        let session = try #require(client.sessionState.session)
        // Kratos has no virtual clock, so its sessions are privileged for two seconds in this test.
        let error = try await untilFailure {
            try await client.account.changePassword(to: Self.password + String(UInt16.random(in: 0...9999)))
        }
        #expect(error.code == .reauthenticationRequired)
        #expect(error.isStillSignedIn)

        let sent = try await client.account.sendReauthenticationCode()
        let renewed = try await sent.verify(server.code(for: Self.email))
        try await client.account.changePassword(to: Self.newPassword)

        #expect(renewed.id == session.id)
        let again = try await client.account.reauthenticate(password: Self.newPassword)
        #expect(again.id == session.id)
        let change = try await client.account.update {
            $0["phone"] = .string(Self.phone)
            $0["nickname"] = nil
        }
        #expect(change.identity.traits["nickname"] == nil)
        // Kratos sends its own code after the change.
        _ = try await server.code(for: Self.phone)
        let added = try await client.verification.sendCode(to: Self.phone)
        try await added.verify(server.code(for: Self.phone))
        #expect(try await client.account.identity().addresses.filter(\.isVerified).count == 2)
    }

    @Test func `Sessions can be listed and revoked`() async throws {
        let (server, client) = try await user()
        let others = [try device(server), try device(server)]
        for other in others { try await other.signIn(email: Self.email, password: Self.password) }

        let listed = try await client.account.otherSessions()
        #expect(listed.count == 2)
        try await client.account.revokeSession(listed[0].id)
        #expect(try await client.account.otherSessions().map(\.id) == [listed[1].id])
        try await client.account.signOutEverywhere()

        #expect(!client.sessionState.isSignedIn)
        for other in others { #expect(try await !other.checkSession().isSignedIn) }
    }

    /// Repeats a call until it fails and returns the error.
    private func untilFailure(_ call: () async throws -> Void) async throws -> LatchkeyError {
        while !Task.isCancelled {
            if let error = await failure(call) { return error }
        }
        throw CancellationError()
    }
}
