import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Why nobody is logged in` {
    private func store(in folder: TemporaryFolder) -> EncryptedFileStore {
        EncryptedFileStore(
            server: TestServer.url,
            app: "com.example.shop",
            location: StoreLocation(dataFolder: folder.path + "/data", keyFolder: folder.path + "/key")
        )
    }

    private func loggedIn(in folder: TemporaryFolder) async throws -> Handset {
        let server = try await TestServer()
        try await server.addCustomer(phone: Handset.phone, passcode: Handset.passcode)
        let handset = try Handset(server, store: store(in: folder))
        try await handset.client.signIn(phone: Handset.phone, password: Handset.passcode)
        return handset
    }

    @Test func `is that nobody has logged in`() async throws {
        let handset = try Handset(try await TestServer())

        let explanation = await handset.client.explain()

        #expect(explanation.summary == "No user has logged in since the journal started.")
        #expect(explanation.entries.isEmpty)
    }

    @Test func `is told in the process that signed out, and forgotten on the disk`() async throws {
        let folder = TemporaryFolder()
        let handset = try await loggedIn(in: folder)
        #expect(await handset.client.explain().summary.hasPrefix("A user has been logged in since 2026-"))

        handset.client.signOut()

        let explanation = await handset.client.explain()
        #expect(explanation.summary.hasSuffix("The app signed out."))
        #expect(explanation.entries.map(\.kind) == [.signedIn, .signedOut])
        #expect(try await handset.restarted().client.explain().entries.isEmpty)
    }

    @Test func `outlives the process when the server said so`() async throws {
        let folder = TemporaryFolder()
        let handset = try await loggedIn(in: folder)
        try await handset.server.endAllSessions()
        #expect(try await handset.client.checkSession().session == nil)

        let explanation = try await handset.restarted().client.explain()

        #expect(explanation.summary.hasSuffix("The identity server no longer accepts the session."))
        #expect(explanation.entries.map(\.kind) == [.signedIn, .ended])
        #expect(explanation.entries.allSatisfy { $0.process != nil })
    }

    @Test func `is that the record is gone`() async throws {
        let folder = TemporaryFolder()
        let handset = try await loggedIn(in: folder)
        try store(in: folder).remove()
        #expect(try await handset.client.checkSession().session == nil)

        #expect(await handset.client.explain().entries.map(\.kind) == [.signedIn, .signedOutElsewhere])
    }

    @Test func `is no logout when the store cannot tell`() async throws {
        let store = FragileStore()
        store.failReads(.locked)
        let shopper = try Shopper(try await TestServer(), store: store)

        for _ in 1...3 { _ = try? await shopper.client.checkSession() }

        let explanation = await shopper.client.explain()
        #expect(
            explanation.summary.hasPrefix("The session store cannot be read, which does not end the session")
        )
        #expect(explanation.entries.map(\.kind) == [.storeUnavailable])
    }

    @Test func `tells of renewals that came and that did not`() async throws {
        let shopper = try await Shopper.loggedIn()
        #expect(try await shopper.order() == 200)
        shopper.letTokensExpire()
        shopper.network.identity.inject(.dropAnswer, on: .post, "/oauth2/token")
        _ = try? await shopper.order()
        #expect(try await shopper.order() == 200)

        let kinds = await shopper.client.explain().entries.map(\.kind)

        #expect(kinds == [.signedIn, .renewed, .notRenewed, .renewed])
    }

    @Test func `is written without anything secret or personal`() async throws {
        let folder = TemporaryFolder()
        let handset = try await loggedIn(in: folder)
        let session = try #require(handset.client.sessionState.session)
        let token = try #require(handset.client.engine.keeper.held).stored.token.exposed
        try await handset.server.endAllSessions()
        _ = try await handset.client.checkSession()

        let files = try folder.contents().filter { $0.key.hasSuffix(".journal") }
        let text = files.values.map { String(decoding: $0, as: UTF8.self) }.joined()

        #expect(text.split(separator: "\n").count == 2)
        for secret in [token, Handset.phone, session.id, session.identity.id] {
            #expect(!text.contains(secret))
        }
    }
}
