import Latchkey
import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Session events from a real server` {
    private static let events = "/a/sessions/events"

    private func polls<Store>(_ app: TestApp<Store>) -> Int {
        app.network.exchanges.count { $0.request.path == Self.events }
    }

    @Test func `The app is logged out when another device revokes the session`() async throws {
        let app = try await TestApp.loggedIn()
        app.client.engine.events.start()
        await wait(until: "the client polls") { polls(app) >= 1 }
        let other = try TestApp(app.server, store: MemoryStore())
        try await other.logIn()

        try await other.client.account.revokeOtherSessions()

        await wait(until: "the session has ended") { !app.isLoggedIn }
        #expect(other.isLoggedIn)
        await app.server.stop()
    }

    @Test func `An unreachable or restarting server does not end the session`() async throws {
        let app = try await TestApp.loggedIn()
        app.client.engine.events.start()
        await wait(until: "the client polls") { polls(app) >= 1 }

        try await app.server.restart()
        await app.server.time.sleepers(atLeast: 1)
        let before = polls(app)
        app.network.inject(.unreachable, Self.events, times: 3)
        let clock = Task {
            while !Task.isCancelled {
                await app.server.time.sleepers(atLeast: 1)
                app.server.time.advance(by: .seconds(5))
            }
        }
        await wait(until: "three polls have failed") { polls(app) >= before + 3 }
        await wait(until: "the client polls again") { app.server.assembly?.metrics.events.streams == 1 }
        clock.cancel()

        #expect(app.isLoggedIn)
        await app.server.stop()
    }

    @Test func `By default, the client does not request events`() async throws {
        let app = try await TestApp.loggedIn()
        try await app.client.checkSession()
        #expect(polls(app) == 0)
        await app.server.stop()
    }
}
