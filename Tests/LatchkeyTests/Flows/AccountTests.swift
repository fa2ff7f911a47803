import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

private let email = "reader@example.org"
private let newPassword = "another-Horse-8"

@Suite(.onEachDatabase) struct `Account management` {
    /// Returns an app with a logged-in reader whose address is verified.
    private func reader(verifiesAddressFirst: Bool = false) async throws -> TestApp<MemoryStore> {
        let server = try await TestServer(schema: "reader", verifiesAddressFirst: verifiesAddressFirst)
        let app = try TestApp(server)
        let created = try await app.client.signUp.register(
            ["email": .string(email), "display_name": "Reader"],
            password: TestAccount.password
        )
        try await created.verifications[0].verify(server.code(for: email))
        return app
    }

    /// Returns another device on which the user is also logged in.
    private func otherDevice(of app: TestApp<MemoryStore>) async throws -> TestApp<MemoryStore> {
        let other = try TestApp(app.server)
        try await other.client.signIn(email: email, password: TestAccount.password)
        return other
    }

    // MARK: Profile

    @Test func `A trait can be changed and removed`() async throws {
        let app = try await reader()

        let changed = try await app.client.account.update { $0["birthday"] = "1999-12-31" }
        #expect(changed.identity.traits["birthday"] == "1999-12-31")
        #expect(changed.identity.traits["display_name"] == "Reader")

        try await app.client.account.update { $0["birthday"] = nil }
        let profile = try await app.client.account.identity()
        #expect(profile.traits["birthday"] == nil)
        #expect(profile.traits["display_name"] == "Reader")
    }

    @Test func `An invalid trait is reported by name and leaves the account unchanged`() async throws {
        let app = try await reader()

        let error = await failure { try await app.client.account.update { $0["birthday"] = "soon" } }

        #expect(error?.code == .invalidInput)
        #expect(error?.fields.map(\.name) == ["traits.birthday"])
        #expect(error?.isStillSignedIn == true)
        #expect(try await app.client.account.identity().traits["birthday"] == nil)
    }

    @Test func `A new address can be verified with a code and is shown in the session`() async throws {
        let app = try await reader()

        let change = try await app.client.account.update { $0["phone"] = "+4670000001" }
        let step = try #require(change.verifications.first { $0.address == "+4670000001" })
        #expect(app.client.sessionState.session?.identity.phone?.e164 == "+4670000001")
        try await step.verify(app.server.code(for: "+4670000001"))

        let addresses = try await app.client.account.identity().addresses
        #expect(Set(addresses.filter(\.isVerified).map(\.value)) == [email, "+4670000001"])
        app.client.signOut()
        app.server.time.advance(by: .seconds(61))
        let sent = try await app.client.codeSignIn.sendCode(to: "+4670000001")
        try await sent.verify(app.server.code(for: "+4670000001"))
    }

    @Test func `If the server requires it, a new address is saved only after verification`() async throws {
        let app = try await reader(verifiesAddressFirst: true)

        let change = try await app.client.account.update { $0["phone"] = "+4670000001" }
        #expect(change.identity.traits["phone"] == nil)
        #expect(try await app.client.account.identity().traits["phone"] == nil)
        try await #require(change.verifications.first).verify(app.server.code(for: "+4670000001"))

        #expect(try await app.client.account.identity().traits["phone"] == "+4670000001")
    }

    @Test func `An address can be verified later, with or without a session`() async throws {
        let app = try TestApp(await TestServer(schema: "reader"))
        try await app.client.signUp.register(["email": .string(email)], password: TestAccount.password)
        _ = try await app.server.code(for: email)
        app.server.time.advance(by: .seconds(61))

        let sent = try await app.client.verification.sendCode(to: email)
        let first = try await app.server.code(for: email)
        #expect(
            await failure { try await sent.verify(TestServer.wrongCode(insteadOf: first)) }?.code
                == .codeInvalid
        )
        app.server.time.advance(by: .seconds(61))
        try await sent.resend()
        let step = try app.restarted().client.verification.resume(sent.token)
        try await step.verify(app.server.code(for: email))

        #expect(try await app.client.account.identity().addresses.map(\.isVerified) == [true])
        #expect(await failure { try await sent.verify(first) }?.code == .flowExpired)
    }

    @Test func `An expired verification is reported as expired`() async throws {
        let app = try await reader()
        app.server.time.advance(by: .seconds(61))
        let sent = try await app.client.verification.sendCode(to: email)
        let code = try await app.server.code(for: email)

        app.server.time.advance(by: .seconds(7200))

        #expect(await failure { try await sent.verify(code) }?.code == .flowExpired)
    }

    // MARK: Password

    @Test func `A new password replaces the old one and ends the other sessions`() async throws {
        let app = try await reader()
        let other = try await otherDevice(of: app)

        try await app.client.account.changePassword(to: newPassword)

        #expect(try await app.client.checkSession().isSignedIn)
        #expect(try await !other.client.checkSession().isSignedIn)
        let error = await failure {
            try await other.client.signIn(email: email, password: TestAccount.password)
        }
        #expect(error?.code == .invalidCredentials)
        try await other.client.signIn(email: email, password: newPassword)
    }

    @Test func `An error for a password that violates the policy names the field`() async throws {
        let app = try await reader()

        let error = await failure { try await app.client.account.changePassword(to: "90817") }

        #expect(error?.code == .invalidInput)
        #expect(error?.fields.map(\.name) == ["password"])
        #expect("\(String(describing: error)) \(error?.fields ?? [])".contains("90817") == false)
    }

    // MARK: Re-authentication

    @Test func `A user with an old session can change the password after re-authenticating`() async throws {
        let app = try await reader()
        let session = try #require(app.client.sessionState.session)
        app.server.time.advance(by: .seconds(3601))

        let error = await failure { try await app.client.account.changePassword(to: newPassword) }
        #expect(error?.code == .reauthenticationRequired)
        #expect(error?.isStillSignedIn == true)
        let renewed = try await app.client.account.reauthenticate(password: TestAccount.password)
        try await app.client.account.changePassword(to: newPassword)

        #expect(renewed.id == session.id)
        #expect(renewed.authenticatedAt == app.server.time.now.date)
        #expect(app.client.sessionState.session?.id == session.id)
        let restarted = try app.restarted()
        #expect(try await restarted.client.checkSession().session?.id == session.id)
    }

    @Test func `A code can be used to re-authenticate`() async throws {
        let app = try await reader()
        app.server.time.advance(by: .seconds(3601))
        let session = try #require(app.client.sessionState.session)

        let sent = try await app.client.account.sendReauthenticationCode()
        let renewed = try await sent.verify(app.server.code(for: email))

        #expect(renewed.id == session.id)
        #expect(renewed.authenticatedAt == app.server.time.now.date)
        let change = try await app.client.account.update { $0["phone"] = "+4670000001" }
        #expect(change.identity.traits["phone"] == "+4670000001")
    }

    @Test func `A customer who re-authenticates keeps the certificate`() async throws {
        let app = try await TestApp.loggedIn()
        let session = try #require(app.client.sessionState.session)
        app.server.time.advance(by: .seconds(3601))

        try await app.client.account.reauthenticate(password: TestAccount.passcode)
        try await app.client.account.changePassword(to: "483920")

        #expect(app.client.sessionState.session?.id == session.id)
        #expect(try await app.client.checkSession().session?.id == session.id)
        let (old, new) = (session.expiresAt, app.client.sessionState.session?.expiresAt)
        #expect(try #require(new) >= #require(old))
        #expect(try await app.server.certificates(of: session.identity.id).count == 1)
        #expect(!app.requestLines.contains("PUT \(Route.certificates)"))
    }

    @Test func `Re-authenticating with a wrong password keeps the session`() async throws {
        let app = try await reader()
        let session = app.client.sessionState.session

        let error = await failure { try await app.client.account.reauthenticate(password: "wrong") }

        #expect(error?.code == .invalidCredentials)
        #expect(error?.isStillSignedIn == true)
        #expect(app.client.sessionState.session == session)
    }

    @Test func `Re-authenticating as a different user fails and keeps the current session`() async throws {
        let app = try await reader()
        let session = app.client.sessionState.session
        let stranger = try TestApp(app.server)
        try await stranger.client.signUp.register(
            ["email": "stranger@example.org"],
            password: TestAccount.password
        )

        let error = await failure {
            try await app.client.account.reauthenticate(
                password: TestAccount.password,
                identifier: "stranger@example.org"
            )
        }

        #expect(error?.code == .identityMismatch)
        #expect(app.client.sessionState.session == session)
        #expect(try await stranger.client.account.otherSessions().isEmpty)
    }

    @Test func `A sign-out during a re-authentication takes precedence`() async throws {
        let app = try await reader()
        app.network.inject(.delay(.seconds(5)), on: .post, "/a/self-service/login")

        let login = Task {
            await failure { try await app.client.account.reauthenticate(password: TestAccount.password) }
        }
        await app.server.time.sleepers(atLeast: 1)
        app.client.signOut()
        app.server.time.advance(by: .seconds(5))

        #expect(await login.value?.code == .signedOut)
        await app.network.settled()
        #expect(app.isClean)
    }

    // MARK: Sessions

    @Test func `The other sessions can be listed and revoked`() async throws {
        let app = try await reader()
        let others = [try await otherDevice(of: app), try await otherDevice(of: app)]

        let listed = try await app.client.account.otherSessions()
        let ids = others.map { $0.client.sessionState.session?.id }
        #expect(Set(listed.map(\.id)) == Set(ids.compactMap { $0 }))
        #expect(listed.allSatisfy { $0.userAgent?.contains("com.example.shop") == true })
        #expect(listed.allSatisfy { $0.networkAddress != nil && $0.authenticatedAt != nil })

        try await app.client.account.revokeSession(listed[0].id)
        try await app.client.account.revokeSession(listed[0].id)
        #expect(try await app.client.account.otherSessions().map(\.id) == [listed[1].id])
        #expect(try await app.client.account.revokeOtherSessions() == 1)
        #expect(try await app.client.account.otherSessions().isEmpty)
        for other in others { #expect(try await !other.client.checkSession().isSignedIn) }
        #expect(try await app.client.checkSession().isSignedIn)
    }

    @Test func `The current session cannot be revoked by its id`() async throws {
        let app = try await reader()
        let id = try #require(app.client.sessionState.session?.id)
        app.network.forgetExchanges()

        let error = await failure { try await app.client.account.revokeSession(id) }
        // These would lead to the route that revokes all other sessions.
        for id in ["", ".", ".."] {
            let error = await failure { try await app.client.account.revokeSession(id) }
            #expect(error?.code == .invalidInput)
        }

        #expect(error?.code == .invalidInput)
        #expect(app.identityExchanges.isEmpty)
    }

    @Test func `Signing out everywhere ends all sessions`() async throws {
        let app = try await reader()
        let other = try await otherDevice(of: app)
        let record = app.store.read()

        try await app.client.account.signOutEverywhere()

        #expect(app.isClean)
        #expect(try await !other.client.checkSession().isSignedIn)
        // A stolen copy of the record is now useless.
        guard case .present(let bytes, _) = record else {
            Issue.record("There is no record.")
            return
        }
        let thief = MemoryStore()
        _ = try thief.write(bytes, basedOn: 0)
        #expect(try await !TestApp(app.server, store: thief).client.checkSession().isSignedIn)
    }

    @Test func `Signing out everywhere fails without a network and keeps the session`() async throws {
        let app = try await reader()
        app.network.inject(.unreachable, on: .delete, "/a/sessions")

        let error = await failure { try await app.client.account.signOutEverywhere() }

        #expect(error?.code == .unreachable)
        #expect(error?.isStillSignedIn == true)
        #expect(try await app.client.checkSession().isSignedIn)
    }

    /// A call that requires a session.
    enum Call: CaseIterable {
        case profile, update, changePassword, otherSessions, revokeOtherSessions, reauthenticate

        func run(_ account: Account) async throws {
            switch self {
            case .profile: _ = try await account.identity()
            case .update: try await account.update { _ in }
            case .changePassword: try await account.changePassword(to: newPassword)
            case .otherSessions: _ = try await account.otherSessions()
            case .revokeOtherSessions: try await account.revokeOtherSessions()
            case .reauthenticate: try await account.reauthenticate(password: TestAccount.password)
            }
        }
    }

    @Test(arguments: Call.allCases)
    func `A call with an ended session signs the user out`(_ call: Call) async throws {
        let app = try await reader()
        try await app.server.endAllSessions()

        let error = await failure { try await call.run(app.client.account) }

        #expect(error?.code == .sessionEnded)
        #expect(error?.isStillSignedIn == false)
        #expect(app.isClean)
    }

    @Test func `A call without a session fails before sending a request`() async throws {
        let app = try TestApp(await TestServer())

        let error = await failure { try await app.client.account.identity() }

        #expect(error?.code == .signedOut)
        #expect(app.identityExchanges.isEmpty)
    }
    // MARK: Data

    @Test func `The export contains the account, its addresses and its sessions`() async throws {
        let app = try await reader()

        let document = try JSONCoding.decode(JSONValue.self, from: [UInt8](await app.client.account.export()))

        #expect(document["identity"]?["traits"]?["email"]?.text == email)
        #expect(document["sessions"]?.array?.count == 1)
    }

    @Test func `Deleting an account ends all sessions, and a login cancels the deletion`() async throws {
        let app = try await reader()
        let other = try await otherDevice(of: app)

        let end = try await app.client.account.delete()

        #expect(end == (app.server.time.now + .seconds(7 * 86_400)).date)
        #expect(app.client.sessionState == .signedOut)
        #expect(try await other.client.checkSession() == .signedOut)
        try await app.client.signIn(email: email, password: TestAccount.password)
        #expect(try await app.client.account.identity().traits["display_name"] == "Reader")
    }

    @Test func `Exporting and deleting an account require a recent login`() async throws {
        let app = try await reader()
        app.server.time.advance(by: .seconds(3600))

        let exported = await failure { _ = try await app.client.account.export() }
        let deleted = await failure { try await app.client.account.delete() }

        #expect(exported?.code == .reauthenticationRequired)
        #expect(deleted?.code == .reauthenticationRequired)
        try await app.client.account.reauthenticate(password: TestAccount.password)
        try await app.client.account.delete()
        #expect(!app.isLoggedIn)
    }

    @Test func `If the response to a deletion is lost, retrying signs the user out`() async throws {
        let app = try await reader()
        app.network.inject(.dropResponse, on: .delete, "/a/account")

        let lost = await failure { try await app.client.account.delete() }
        let repeated = await failure { try await app.client.account.delete() }

        #expect(lost?.code == .timedOut && lost?.isStillSignedIn == true)
        #expect(repeated?.code == .sessionEnded)
        #expect(!app.isLoggedIn)
    }
}
