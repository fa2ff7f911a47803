import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import OnsideKit
import TestDatabases
import TestStore
import Testing

@MainActor @Suite(.exclusiveOnside, .onEachDatabase) struct `Actions that wait for a hand-off` {
    /// The end of a login for which actions wait.
    enum End: CaseIterable {
        case approval, refusal, dismissal, logout
    }

    @Test(arguments: End.allCases)
    func `Each of 100 actions gets one result`(end: End) async throws {
        let scene = try await HandOffScene.closed()
        var restorations: [OnsidePaymentQueueError?] = []
        for _ in 0..<50 {
            scene.requestLogin()
            Onside.defaultPaymentQueue().restoreCompletedTransactions { restorations.append($0.error) }
        }
        await eventually { (try? scene.client.engine.access.waitingCallers) == 100 }
        await scene.isOpened()

        switch end {
        case .approval: scene.open(try await scene.answer())
        case .refusal: scene.open(try await scene.answer(.refuse))
        case .dismissal: try scene.login.dismiss()
        case .logout: Onside.logout()
        }

        let isLoggedIn = end == .approval
        #expect(await scene.errors(50) == Array(repeating: isLoggedIn ? nil : .loginDiscarded, count: 50))
        await eventually { restorations.count == 50 }
        #expect(restorations.allSatisfy { $0 == (isLoggedIn ? nil : .loginDiscarded) })
        try await isLoggedIn ? scene.expectOneLogin() : scene.expectNoLogin()
        #expect(scene.results.count == 50 && restorations.count == 50)
        #expect(scene.presentationCount == 1 && scene.store.opened.count == 1)
        #expect(scene.requests(to: Route.pushedRequests) == 1)
        await scene.server.stop()
    }

    @Test func `A double tap joins the login, and the store app shows one request`() async throws {
        let scene = try await HandOffScene.opened()

        scene.requestLogin()
        scene.requestLogin()
        await eventually { (try? scene.client.engine.access.waitingCallers) == 3 }
        scene.open(try await scene.answer())

        #expect(await scene.errors(3) == [nil, nil, nil])
        #expect(scene.presentationCount == 1 && scene.store.opened.count == 1)
        #expect(scene.requests(to: Route.pushedRequests) == 1)
        await scene.server.stop()
    }

    @Test func `Opening the store app again shows the same request`() async throws {
        let scene = try await HandOffScene.opened()
        let approval = try await scene.store.client.authorizationApproval(for: scene.store.opened[0])

        for _ in 0..<3 { try await scene.login.use(.otherApp) }

        #expect(scene.store.opened.count == 4 && Set(scene.store.opened).count == 1)
        #expect(scene.requests(to: Route.pushedRequests) == 1)
        let again = try await scene.store.client.authorizationApproval(for: scene.store.opened[3])
        #expect(again.id == approval.id)
        scene.open(try await again.approve())
        #expect(await scene.errors() == [nil])
        try await scene.expectOneLogin()
        await scene.server.stop()
    }

    @Test func `Coming back without an answer is no cancellation`() async throws {
        let scene = try await HandOffScene.opened()
        await scene.store.answer(try #require(scene.store.opened.last), with: .ignore)
        // The user does something else for nine minutes.
        scene.server.time.advance(by: .seconds(540))
        await scene.settle()

        #expect(try scene.results.isEmpty && scene.pendingLogins == 1)
        if case .otherApp = try scene.login.screen {} else { Issue.record("\(try scene.login.screen)") }
        #expect(try scene.login.otherAppName == "Onside" && scene.login.handOffError == nil)
        await scene.server.stop()
    }

    @Test func `The request is used again after a visit to the phone form`() async throws {
        let scene = try await HandOffScene.opened()

        try await scene.login.back()
        await scene.isFormShown()
        try await scene.login.use(.otherApp)
        await scene.isOpened(2)

        #expect(scene.store.opened[0] == scene.store.opened[1])
        #expect(scene.requests(to: Route.pushedRequests) == 1)
        scene.open(try await scene.answer())
        #expect(await scene.errors() == [nil])
        try await scene.expectOneLogin()
        await scene.server.stop()
    }

    @Test func `The answer counts while the phone form is shown`() async throws {
        let scene = try await HandOffScene.opened()
        try await scene.login.back()
        await scene.isFormShown()

        scene.open(try await scene.answer())

        #expect(await scene.errors() == [nil])
        try await scene.expectOneLogin()
        await scene.server.stop()
    }

    @Test func `A hand-off that succeeds creates no flow at the server`() async throws {
        let scene = try await HandOffScene.opened()
        // The user of the store app has logged in there with flows.
        let genuine = try await scene.answer()
        let flows = try await scene.server.flows()

        scene.open(genuine)
        #expect(await scene.errors() == [nil])

        #expect(try await scene.server.flows() == flows)
        #expect(!scene.app.network.exchanges.contains { $0.request.path.contains("self-service") })
        await scene.server.stop()
    }
}
