import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Explanations of the session state` {
    private func store(in folder: TemporaryFolder) -> EncryptedFileStore {
        EncryptedFileStore(
            server: TestServer.url,
            app: "com.example.shop",
            location: StoreLocation(dataFolder: folder.path + "/data", keyFolder: folder.path + "/key")
        )
    }

    private func loggedIn(in folder: TemporaryFolder) async throws -> TestApp<EncryptedFileStore> {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server, store: store(in: folder))
        try await app.client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        return app
    }

    @Test func `On a new device, the explanation says that no user has logged in`() async throws {
        let app = try TestApp(try await TestServer())

        let explanation = await app.client.explain()

        #expect(explanation.summary == "No user has logged in since the journal started.")
        #expect(explanation.entries.isEmpty)
    }

    @Test func `The process can explain a sign-out after the journal on disk was deleted`() async throws {
        let folder = TemporaryFolder()
        let app = try await loggedIn(in: folder)
        #expect(await app.client.explain().summary.hasPrefix("A user has been logged in since 2026-"))

        app.client.signOut()

        let explanation = await app.client.explain()
        #expect(explanation.summary.hasSuffix("The app signed out."))
        #expect(explanation.entries.map(\.kind) == [.signedIn, .signedOut])
        #expect(try await app.restarted().client.explain().entries.isEmpty)
    }

    @Test func `After a restart, the explanation says that the server has ended the session`() async throws {
        let folder = TemporaryFolder()
        let app = try await loggedIn(in: folder)
        try await app.server.endAllSessions()
        #expect(try await app.client.checkSession().session == nil)

        let explanation = try await app.restarted().client.explain()

        #expect(explanation.summary.hasSuffix("The identity server no longer accepts the session."))
        #expect(explanation.entries.map(\.kind) == [.signedIn, .ended])
        #expect(explanation.entries.allSatisfy { $0.process != nil })
    }

    @Test func `A missing record is reported as a sign-out in another process`() async throws {
        let folder = TemporaryFolder()
        let app = try await loggedIn(in: folder)
        try store(in: folder).remove()
        #expect(try await app.client.checkSession().session == nil)

        #expect(await app.client.explain().entries.map(\.kind) == [.signedIn, .signedOutElsewhere])
    }

    @Test func `An unreadable store is not mistaken for a logout`() async throws {
        let store = FaultInjectingStore()
        store.failReads(.locked)
        let app = try TestApp(try await TestServer(), store: store, credential: .accessToken)

        for _ in 1...3 { _ = try? await app.client.checkSession() }

        let explanation = await app.client.explain()
        #expect(
            explanation.summary.hasPrefix("The session has not ended, but its store cannot be read")
        )
        #expect(explanation.entries.map(\.kind) == [.storeUnavailable])
    }

    @Test func `The journal contains successful and failed refreshes`() async throws {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.expireTokens()
        app.network.inject(.dropResponse, on: .post, "/oauth2/token")
        _ = try? await app.callAPI()
        #expect(try await app.callAPI() == 200)

        let kinds = await app.client.explain().entries.map(\.kind)

        #expect(kinds == [.signedIn, .renewed, .notRenewed, .renewed])
    }

    @Test func `The journal contains no secrets or personal data`() async throws {
        let folder = TemporaryFolder()
        let app = try await loggedIn(in: folder)
        let session = try #require(app.client.sessionState.session)
        let token = try #require(app.client.engine.keeper.held?.stored.sessionToken).exposed
        try await app.server.endAllSessions()
        _ = try await app.client.checkSession()

        let files = try folder.contents().filter { $0.key.hasSuffix(".journal") }
        let text = files.values.map { String(decoding: $0, as: UTF8.self) }.joined()

        #expect(text.split(separator: "\n").count == 2)
        for secret in [token, TestAccount.phone, session.id, session.identity.id] {
            #expect(!text.contains(secret))
        }
    }
}
