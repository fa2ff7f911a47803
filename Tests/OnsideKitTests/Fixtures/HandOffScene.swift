import Foundation
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import OnsideKit
import TestStore
import Testing

@testable import Latchkey
@testable import LatchkeyCore

/// A game whose login is open in the store app, in which the user hasn't answered yet.
@MainActor final class HandOffScene {
    /// The presentations of the game, which the user neither completes nor dismisses.
    @MainActor private final class Presentations {
        var logins: [LoginPresentation] = []
    }

    nonisolated static let address = "com.example.arcade://onside/login"

    let app: OnsideApp
    let store: StoreAppOnDevice
    /// The results of the login requests.
    private(set) var results: [Result<Void, OnsideLoginError>] = []
    private let presentations: Presentations

    private init(_ app: OnsideApp, _ store: StoreAppOnDevice, _ presentations: Presentations) {
        (self.app, self.store, self.presentations) = (app, store, presentations)
    }

    /// Starts a game that has not requested a login yet.
    ///
    /// - Parameter register: Registers the game at the server.
    /// - Returns: The game.
    /// - Throws: An error if the server or the game can't be started.
    static func closed(
        registering register: (TestServer) async throws -> Void = { try await $0.registerGame() }
    ) async throws -> HandOffScene {
        let server = try await TestServer.withStore()
        try await register(server)
        return try OnsideRoute.$current.withValue(.appToApp) {
            let presentations = Presentations()
            let user = OnsideUser(server) { login in
                presentations.logins.append(login)
                _ = await login.ending()
            }
            let app = try OnsideApp(server, user: user)
            let store = try #require(app.storeApp)
            store.decision = .ignore
            store.openGame = { _ in }
            return HandOffScene(app, store, presentations)
        }
    }

    /// Starts a game, and waits until its login is open in the store app.
    static func opened() async throws -> HandOffScene {
        let scene = try await closed()
        scene.requestLogin()
        await scene.isOpened()
        return scene
    }

    var server: TestServer { app.server }

    /// The presentation of the latest login.
    var login: LoginPresentation {
        get throws { try #require(presentations.logins.last) }
    }

    /// The number of logins that were presented.
    var presentationCount: Int { presentations.logins.count }

    /// The game's client.
    var client: LatchkeyClient {
        get throws { try #require(Onside.client) }
    }

    // MARK: The user

    func requestLogin() {
        Onside.requestLogin { [weak self] in self?.results.append($0) }
    }

    /// Waits until the store app was opened a number of times, and the game knows it.
    func isOpened(_ count: Int = 1) async {
        await eventually {
            guard store.opened.count >= count, case .otherApp? = presentations.logins.last?.screen else {
                return false
            }
            return true
        }
    }

    /// Answers the latest request in the store app, and returns the URL that leads back, which isn't opened.
    func answer(_ decision: StoreAppOnDevice.Decision = .approve) async throws -> String {
        let count = store.returned.count
        await store.answer(try #require(store.opened.last), with: decision)
        try #require(store.returned.count == count + 1, "\(store.errors)")
        return store.returned[count]
    }

    /// Logs the user in with a phone number and a code, in the game.
    func logInByPhone() async throws {
        let login = try login
        await login.back()
        await Shopper(server).present(login)
    }

    /// Waits until the phone form is shown.
    func isFormShown() async {
        await eventually { if case .form? = presentations.logins.last?.screen { true } else { false } }
    }

    /// Waits for the results of the login requests, and returns their errors.
    func errors(_ count: Int = 1) async -> [OnsideLoginError?] {
        await eventually { results.count >= count }
        return results.map(\.error)
    }

    // MARK: Callbacks

    /// Opens the game with a URL, and returns whether the game handles it.
    @discardableResult nonisolated func open(_ text: String) -> Bool {
        URL(string: text).map { Onside.handle(url: $0) } ?? false
    }

    /// Returns another process of the game on the same device.
    func anotherProcess() throws -> LatchkeyClient {
        var configuration = app.configuration.client
        configuration.client = ClientRegistration(id: app.configuration.clientID)
        return try LatchkeyClient(configuration)
    }

    /// Passes a URL to another process of the game, and waits until it was handled.
    func open(_ text: String, in process: LatchkeyClient) async throws -> Bool {
        let isOwn = process.handle(text, at: try #require(RedirectAddress(Self.address)))
        await settle(process)
        return isOwn
    }

    /// Waits until a client has handled the URLs that no login waited for, and has revoked what it gave up.
    func settle(_ client: LatchkeyClient? = nil) async {
        let engine = (client ?? Onside.client)?.engine
        await engine?.browserSignIn?.settle()
        _ = await engine?.revocations?.settle()
        await app.network.settled()
    }

    // MARK: Traces

    /// Waits until the server has no open request of the game, which it withdraws in the background.
    func isWithdrawn(_ location: SourceLocation = #_sourceLocation) async throws {
        let start = ContinuousClock.now
        while try await server.openRequests() > 0, ContinuousClock.now - start < .seconds(20) {
            await Task.yield()
        }
        #expect(try await server.openRequests() == 0, sourceLocation: location)
    }

    private var storedLogins: [PendingLogin] {
        get throws {
            let records = try #require(app.store.sideStore(for: .login))
            let container = try SideRecordContainer.read(records).container
            return PendingLogins(decoding: container.entry(.pendingAuthorizations, of: nil)?.bytes).logins
        }
    }

    /// The number of logins that are stored on the device and not completed.
    var pendingLogins: Int {
        get throws { try storedLogins.count }
    }

    /// The login that is stored on the device and not completed.
    var pendingLogin: PendingLogin? {
        get throws { try storedLogins.last }
    }

    /// The number of requests that the game has sent to a path.
    func requests(to path: String) -> Int {
        app.network.exchanges.count { $0.request.path == path }
    }

    /// Waits until logins that have ended are forgotten and revoked, which happens in the background.
    ///
    /// - Parameter location: The place of the expectation.
    /// - Throws: An error of the database.
    func expectNoTrace(_ location: SourceLocation = #_sourceLocation) async throws {
        let start = ContinuousClock.now
        while try await hasTrace(), ContinuousClock.now - start < .seconds(20) {
            await settle()
            // Otherwise, this loop could occupy the main actor.
            await Task.yield()
        }
        #expect(try pendingLogins == 0, sourceLocation: location)
        #expect(try await server.gameGrants() == 0, sourceLocation: location)
    }

    private func hasTrace() async throws -> Bool {
        if try pendingLogins > 0 { return true }
        return try await server.gameGrants() > 0
    }

    /// Checks that the game is logged in once, and that the login has left no trace but its session.
    func expectOneLogin(_ location: SourceLocation = #_sourceLocation) async throws {
        try await expectNoTrace(location)
        #expect(try client.sessionState.session != nil, sourceLocation: location)
        #expect(try await server.gameSessions() == 1, sourceLocation: location)
    }

    /// Checks that the game is logged out, and that no login can be completed.
    func expectNoLogin(_ location: SourceLocation = #_sourceLocation) async throws {
        try await expectNoTrace(location)
        #expect(try client.sessionState.session == nil, sourceLocation: location)
        #expect(try await server.gameSessions() == 0, sourceLocation: location)
    }
}

extension String {
    /// The value of a parameter in a URL, decoded.
    func parameter(_ name: String) -> String {
        QueryItems(split(separator: "?").last.map { String($0) })[name] ?? ""
    }

    /// A URL with another value of a parameter, which isn't encoded.
    func setting(_ name: String, to value: String) -> String {
        let parts = split(separator: "?", maxSplits: 1)
        guard parts.count == 2 else { return self }
        let items = parts[1].split(separator: "&").map { item in
            item.hasPrefix(name + "=") ? name + "=" + value : String(item)
        }
        return parts[0] + "?" + items.joined(separator: "&")
    }

    /// A URL without a parameter.
    func removing(_ name: String) -> String {
        let parts = split(separator: "?", maxSplits: 1)
        guard parts.count == 2 else { return self }
        return parts[0] + "?"
            + parts[1].split(separator: "&").filter { !$0.hasPrefix(name + "=") }.joined(separator: "&")
    }
}
