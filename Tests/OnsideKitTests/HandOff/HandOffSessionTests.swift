import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestDatabases
import TestStore
import Testing

/// The session that the game gets, compared with the one with which the store app has approved.
@MainActor @Suite(.exclusiveOnside, .onEachDatabase) struct `Sessions of logins in the store app` {
    /// An event that may end sessions of the account.
    enum Event: CaseIterable, Sendable {
        case logoutOfGame, logoutOfStoreApp, sessionRevoked, othersRevoked, recovery

        /// Whether the game's session ends.
        var endsGame: Bool { self != .logoutOfStoreApp }

        /// Whether the store app's session ends.
        var endsStoreApp: Bool { self == .logoutOfStoreApp || self == .recovery }
    }

    private func loggedIn() async throws -> (app: OnsideApp, store: StoreAppOnDevice) {
        try await OnsideRoute.$current.withValue(.appToApp) {
            let app = try await OnsideApp.started()
            app.configuration.client.followsSessionEvents = true
            try Onside.initialize(configuration: app.configuration)
            await app.logIn()
            return (app, try #require(app.storeApp))
        }
    }

    @Test(arguments: Event.allCases)
    func `An event ends the sessions that it concerns, at once`(_ event: Event) async throws {
        let (app, store) = try await loggedIn()
        let recorder = Recorder()
        let game = try #require(Onside.client?.sessionState.session)

        switch event {
        case .logoutOfGame: Onside.logout()
        case .logoutOfStoreApp: #expect(await store.client.signOutAndRevoke().isRevoked)
        case .sessionRevoked: try await store.client.account.revokeSession(game.id)
        case .othersRevoked: try await store.client.account.revokeOtherSessions()
        case .recovery:
            app.server.time.advance(by: .seconds(61))
            let device = try StoreApp(app.server)
            let sent = try await device.client.recovery.sendCode(to: StoreApp.phone)
            try await sent.verify(app.server.code(for: StoreApp.phone))
        }

        if event.endsGame {
            // The clock stands still, so the game was notified and hasn't asked after some time.
            #expect(await recorder.storefronts(1) == [nil])
            #expect(Onside.defaultPaymentQueue().storefront == nil)
        } else {
            _ = try await Onside.client?.checkSession()
            #expect(Onside.defaultPaymentQueue().storefront != nil && recorder.storefronts == [])
        }
        _ = try? await store.client.checkSession()
        #expect((store.client.sessionState.session == nil) == event.endsStoreApp)
        await app.server.stop()
    }

    @Test func `The game's session is listed under the name of the game, and ends there`() async throws {
        let (app, store) = try await loggedIn()

        let sessions = try await store.client.account.otherSessions()

        #expect(
            sessions.map(\.clientName) == ["Arcade"] && sessions.map(\.clientID) == ["com.example.arcade"]
        )
        #expect(sessions.map(\.id) == [Onside.client?.sessionState.session?.id])
        await app.server.stop()
    }

    @Test func `The game's session can't change how the account is protected`() async throws {
        let (app, _) = try await loggedIn()
        let client = try #require(Onside.client)

        let change = await code { try await client.account.update { $0["phone"] = .string("+436641234999") } }
        let deletion = await code { _ = try await client.account.delete() }

        #expect(change == .reauthenticationRequired && deletion == .reauthenticationRequired)
        // The region isn't protected, as after a login with a phone number.
        try await client.account.update { $0["region"] = "AT" }
        await app.server.stop()
    }

    private func code(_ steps: () async throws -> Void) async -> LatchkeyError.Code? {
        do {
            try await steps()
            return nil
        } catch {
            return (error as? LatchkeyError)?.code
        }
    }
}
