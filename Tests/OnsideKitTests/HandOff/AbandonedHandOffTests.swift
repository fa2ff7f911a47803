import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import OnsideKit
import TestDatabases
import TestStore
import Testing

@MainActor @Suite(.exclusiveOnside, .onEachDatabase) struct `Abandoned hand-offs` {
    /// The way in which the user abandons a login.
    enum Way: CaseIterable {
        case dismissed, leftOpen, killed, approvedButKilled
    }

    @Test(arguments: Way.allCases)
    func `An abandoned login leaves no data on the device and the server after its expiry`(
        way: Way
    ) async throws {
        let scene = try await HandOffScene.closed()
        for round in 1...5 {
            scene.requestLogin()
            await scene.isOpened(round)
            switch way {
            case .dismissed: try scene.login.dismiss()
            case .leftOpen:
                scene.server.time.advance(by: .seconds(600))
                await scene.isFormShown()
                try scene.login.dismiss()
            case .killed, .approvedButKilled:
                if way == .approvedButKilled { _ = try await scene.answer() }
                try Onside.initialize(configuration: scene.app.configuration)
            }
        }

        scene.server.time.advance(by: .seconds(600))
        try Onside.initialize(configuration: scene.app.configuration)
        await scene.settle()

        try await scene.expectNoTrace()
        #expect(try scene.client.sessionState.session == nil)
        #expect(try await scene.server.gameSessions() == 0)
        try await scene.isCleanedUp()
        await scene.server.stop()
    }
}

extension HandOffScene {
    /// Waits until the server has deleted the expired requests, which it does once a minute.
    fileprivate func isCleanedUp(_ location: SourceLocation = #_sourceLocation) async throws {
        let start = ContinuousClock.now
        while try await server.storedRequests() > 0, ContinuousClock.now - start < .seconds(20) {
            server.time.advance(by: .seconds(60))
            await Task.yield()
        }
        #expect(try await server.storedRequests() == 0, sourceLocation: location)
    }
}
