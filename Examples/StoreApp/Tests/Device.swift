import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import StoreApp
import TestStore

/// A device with the store app and a game that hands its logins over to it.
@MainActor final class Device {
    nonisolated let server: TestServer
    nonisolated let game: LatchkeyClient
    nonisolated let store: LatchkeyClient
    nonisolated let gameNetwork: TestTransport
    nonisolated let storeNetwork: TestTransport
    /// The log of both apps.
    nonisolated let logs = LogRecorder()
    let presenter = Presented()
    /// The phone number of the user who logs in to the store next.
    var phone = "+436641234567"
    /// Whether the user dismisses the logins of the store.
    var dismissesLogin = false
    /// Whether the game can be opened.
    var canOpenGame = true
    /// The URLs with which the game has opened the store.
    private(set) var opened: [String] = []
    /// The URLs with which the store has opened the game.
    private(set) var returned: [String] = []

    /// The presenter of the game, which waits for the store.
    @MainActor final class Presented: Presenter {
        private(set) var login: LoginPresentation?

        func present(_ login: LoginPresentation) async {
            self.login = login
            _ = await login.ending()
        }
    }

    init(_ server: TestServer, returningTo redirectURI: String) throws {
        self.server = server
        let logs = logs
        let (gameNetwork, storeNetwork) = (server.transport(), server.transport())
        (self.gameNetwork, self.storeNetwork) = (gameNetwork, storeNetwork)
        game = try LatchkeyClient(server: TestServer.url, app: "com.example.arcade") {
            $0.store = MemoryStore()
            $0.client = ClientRegistration(id: "com.example.arcade", redirectURIs: [redirectURI])
            $0.transport = gameNetwork
            $0.languages = []
            $0.logger = logs
            $0.time = server.time
        }
        store = try LatchkeyClient(server: TestServer.url, app: GameStore.id) {
            $0.store = MemoryStore()
            $0.transport = storeNetwork
            $0.languages = []
            $0.logger = logs
            $0.time = server.time
        }
        game.presenter = presenter
        let apps = Apps { [weak self] url throws(LatchkeyError) in try self?.open(url) }
        game.appHandOff = {
            AppHandOff(to: GameStore.id, named: GameStore.name, returningTo: redirectURI, through: apps)
        }
        self.apps = apps
    }

    private var apps: Apps?

    private func open(_ url: String) throws(LatchkeyError) {
        if url.hasPrefix(GameStore.id + ":") { return opened.append(url) }
        guard canOpenGame else { throw LatchkeyError(.noPresenter, message: "The game can't be started.") }
        returned.append(url)
        game.handle(url)
    }

    /// The user of the game begins a login, which waits for the store.
    func beginLogin() -> Task<Result<UserSession, LatchkeyError>, Never> {
        opened = []
        return Task { [game] in
            do throws(LatchkeyError) {
                return .success(try await game.requestLogin())
            } catch {
                return .failure(error)
            }
        }
    }

    /// The URL with which the game has opened the store.
    func openedURL() async throws -> String {
        await eventually { !opened.isEmpty }
        guard let url = opened.last else {
            throw LatchkeyError(.timedOut, message: "The game has opened no URL.")
        }
        return url
    }

    /// Logs the user in to the store.
    func logIn() async throws {
        _ = try await menu("1", "3")
    }

    /// Shows the menu of the store.
    func menu(_ lines: String?...) async throws -> [String] {
        let terminal = terminal(lines)
        let app = app(on: terminal)
        await app.run()
        return terminal.transcript
    }

    /// Opens the store with a URL.
    ///
    /// - Parameters:
    ///   - lines: The lines that the user types on the store's screens, where `nil` is Control-D.
    ///   - url: The URL, or `nil` for the one with which the game has opened the store.
    ///   - before: Called before the user types the first line.
    /// - Returns: Whether the request was answered, and the transcript.
    /// - Throws: An error if the game opens no URL.
    func answer(
        _ lines: String?...,
        url: String? = nil,
        before: @escaping @MainActor () async -> Void = {}
    ) async throws -> (isAnswered: Bool, transcript: [String]) {
        let terminal = terminal(lines, before: before)
        let app = app(on: terminal)
        let isAnswered = await app.answer(url == nil ? try await openedURL() : url ?? "")
        return (isAnswered, terminal.transcript)
    }

    private func app(on terminal: ScriptedTerminal) -> GameStore {
        GameStore(
            client: store,
            terminal: terminal,
            apps: Apps { [weak self] url throws(LatchkeyError) in try self?.open(url) },
            languages: ["en"]
        )
    }

    private func terminal(
        _ lines: [String?],
        before: @escaping @MainActor () async -> Void = {}
    ) -> ScriptedTerminal {
        let rest = Locked(lines[...])
        let isFirst = Locked(true)
        return ScriptedTerminal { [server, phone, dismissesLogin] prompt in
            if prompt.hasPrefix("Phone number") { return dismissesLogin ? .line("/cancel") : .line(phone) }
            if prompt.contains("ode") { return .line(try await server.code(for: phone)) }
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }; return isFirst
            }) {
                await before()
            }
            return rest.withLock { $0.popFirst() }.flatMap { $0 }.map { .line($0) } ?? .controlD
        }
    }
}

/// The apps of a device.
private struct Apps: URLSchemeHandlers {
    let open: @MainActor @Sendable (String) throws(LatchkeyError) -> Void

    func isHandled(_ scheme: String) async -> Bool { true }

    func open(_ url: String) async throws(LatchkeyError) {
        try await open(url)
    }
}
