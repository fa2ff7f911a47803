import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import OnsideKit
import TestDatabases
import TestStore
import Testing

@MainActor @Suite(.exclusiveOnside, .onEachDatabase) struct `Ends of a hand-off` {
    /// An error that leads to the phone form.
    enum Failure: String, CaseIterable, CustomTestStringConvertible {
        case loginRequired, serverError, temporarilyUnavailable, invalidRequest
        case expiry, storeAppCannotStart, offline, unknownClient, otherRedirect

        var testDescription: String { rawValue }

        /// The error code in the answer, or `nil` if the failure is of another kind.
        fileprivate var answer: String? {
            switch self {
            case .loginRequired: "login_required"
            case .serverError: "server_error"
            case .temporarilyUnavailable: "temporarily_unavailable"
            case .invalidRequest: "invalid_request_uri"
            default: nil
            }
        }

        fileprivate var code: LatchkeyError.Code {
            switch self {
            case .expiry: .flowExpired
            case .storeAppCannotStart: .noPresenter
            case .offline: .unreachable
            default: .refused
            }
        }
    }

    /// Starts a game whose login fails.
    private func scene(of failure: Failure) async throws -> HandOffScene {
        let scene = try await HandOffScene.closed { server in
            switch failure {
            case .unknownClient: return
            case .otherRedirect:
                try await server.registerGame(returningTo: "com.example.other://onside/login")
            default: try await server.registerGame()
            }
        }
        switch failure {
        case .storeAppCannotStart: scene.store.canStart = false
        case .offline: scene.app.network.inject(.unreachable, on: .post, Route.pushedRequests)
        default: break
        }
        return scene
    }

    @Test(arguments: Failure.allCases)
    func `An error in the hand-off leads to the phone form with the reason, and the phone login succeeds`(
        failure: Failure
    ) async throws {
        let scene = try await scene(of: failure)
        scene.requestLogin()
        if let error = failure.answer {
            await scene.isOpened()
            let genuine = try await scene.answer(.refuse)
            scene.open(genuine.setting("error", to: error))
        } else if failure == .expiry {
            await scene.isOpened()
            scene.server.time.advance(by: .seconds(600))
        }

        await scene.isFormShown()

        let login = try scene.login
        #expect(login.handOffError?.code == failure.code)
        #expect(login.otherAppName == "Onside" && scene.results.isEmpty)
        #expect(scene.app.logger.events.count { $0.name == "login.handOff" } == 1)
        try await scene.expectNoLogin()
        try await scene.isWithdrawn()

        try await scene.logInByPhone()
        #expect(await scene.errors() == [nil])
        try await scene.expectSecretsAreNotLogged()
        await scene.server.stop()
    }

    @Test(arguments: [StoreAppOnDevice.Decision.approve, .refuse])
    func `The log of a hand-off contains neither its code nor its state`(
        decision: StoreAppOnDevice.Decision
    ) async throws {
        let scene = try await HandOffScene.opened()
        let genuine = try await scene.answer(decision)
        // Each of these URLs is a reason to log something.
        scene.open(genuine.setting("iss", to: "https%3A%2F%2Fevil.example"))
        scene.open(genuine.setting("state", to: "x"))
        scene.open(genuine)

        #expect(await scene.errors() == [decision == .approve ? nil : .loginDiscarded])
        scene.open(genuine)
        await scene.settle()

        try await scene.expectSecretsAreNotLogged()
        await scene.server.stop()
    }

    @Test func `A refusal discards the login, and the next one creates a new request`() async throws {
        let scene = try await HandOffScene.opened()
        scene.open(try await scene.answer(.refuse))

        #expect(await scene.errors() == [.loginDiscarded])
        try await scene.expectNoLogin()
        #expect(scene.app.discardedLogins.first?.contains("dismissed") == true)
        scene.requestLogin()
        await scene.isOpened(2)
        #expect(scene.store.opened[0] != scene.store.opened[1])
        scene.open(try await scene.answer())

        #expect(await scene.errors(2) == [.loginDiscarded, nil])
        try await scene.expectOneLogin()
        await scene.server.stop()
    }

    @Test func `A refusal that the game processes while the phone form is shown leads back to the form`()
        async throws
    {
        let scene = try await HandOffScene.opened()
        let refused = try await scene.answer(.refuse)
        try await scene.login.back()
        await scene.isFormShown()
        scene.open(refused)
        await eventually { (try? scene.pendingLogins) == 0 }
        await scene.isFormShown()
        #expect(scene.results.isEmpty)
        try await scene.logInByPhone()
        #expect(await scene.errors() == [nil])
        await scene.server.stop()
    }

    @Test func `Dismissal withdraws the request at the server, even if it is offline at first`() async throws
    {
        let scene = try await HandOffScene.opened()
        #expect(try await scene.server.openRequests() == 1)

        try scene.login.dismiss()
        #expect(await scene.errors() == [.loginDiscarded])
        await eventually { scene.requests(to: Route.revocation) == 1 }

        #expect(try await scene.server.openRequests() == 0)
        try await scene.expectNoLogin()
        // Without a network, the request ends with its lifespan.
        scene.requestLogin()
        await scene.isOpened(2)
        scene.app.network.inject(.unreachable, on: .post, Route.revocation)
        try scene.login.dismiss()
        #expect(await scene.errors(2) == [.loginDiscarded, .loginDiscarded])
        await eventually { scene.requests(to: Route.revocation) == 2 }
        try await scene.expectNoLogin()
        scene.server.time.advance(by: .seconds(600))
        #expect(try await scene.server.openRequests() == 0)
        await scene.server.stop()
    }
}

extension HandOffScene {
    /// Checks that no event of the log contains a value of a URL.
    fileprivate func expectSecretsAreNotLogged(_ location: SourceLocation = #_sourceLocation) async throws {
        let secrets =
            store.returned.flatMap { [$0.parameter("code"), $0.parameter("state")] }
            + store.opened.map { $0.parameter("request_uri") }
        let text = app.logger.events.map { "\($0) \($0.metadata)" }.joined(separator: "\n")
        for secret in secrets where !secret.isEmpty {
            #expect(!text.contains(secret), "\(text)", sourceLocation: location)
        }
    }
}
