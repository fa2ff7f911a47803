import Latchkey
import LatchkeyTerminal

/// A terminal app of a game store.
///
/// Games hand their logins over to the store, in which the user approves or refuses them.
@MainActor
public final class GameStore {
    /// The id of the app, which is also the scheme of the URLs with which games open it.
    nonisolated public static let id = "com.example.store"
    /// The name of the app.
    nonisolated public static let name = "Example Store"

    /// A menu item.
    private enum Entry: CaseIterable {
        case account, games, quit
    }

    let client: LatchkeyClient
    let terminal: any Terminal
    let apps: any URLSchemeHandlers
    // The client holds its presenter weakly.
    private let presenter: TerminalPresenter

    /// Creates the app.
    ///
    /// - Parameters:
    ///   - client: The client, whose app id is ``id``.
    ///   - terminal: The terminal that the app runs on.
    ///   - apps: Opens the games.
    ///   - languages: The user's languages for logins, or `nil` to use those of the client.
    public init(
        client: LatchkeyClient,
        terminal: any Terminal,
        apps: any URLSchemeHandlers,
        languages: [String]? = nil
    ) {
        (self.client, self.terminal, self.apps) = (client, terminal, apps)
        presenter = TerminalPresenter(terminal: terminal, languages: languages, ways: [])
        client.presenter = presenter
        client.loginStart = .code(signUpSchema: "shopper")
    }

    /// Returns the configuration of the app's client.
    ///
    /// - Parameter server: The URL of the server.
    /// - Returns: The configuration, which stores the session in a file.
    nonisolated public static func configuration(server: String) -> LatchkeyConfiguration {
        var configuration = LatchkeyConfiguration(server: server, app: id)
        configuration.storage = .file
        return configuration
    }

    // MARK: The menu

    /// Shows the menu until the user quits.
    public func run() async {
        write("Welcome to the \(Self.name)!")
        while true {
            write("")
            write(status)
            guard let entry = await choose(from: Entry.allCases, label: label), entry != .quit else { break }
            switch entry {
            case .account: await logInOrOut()
            case .games: await showGames()
            case .quit: break
            }
        }
        write("See you soon!")
    }

    private var status: String {
        guard let session = client.sessionState.session else { return "Not logged in" }
        return "Logged in as \(session.identity.displayName)"
    }

    private func label(of entry: Entry) -> String {
        switch entry {
        case .account: client.sessionState.session == nil ? "Log in" : "Log out"
        case .games: "Games that you are logged in to"
        case .quit: "Quit"
        }
    }

    private func logInOrOut() async {
        guard client.sessionState.session == nil else {
            // The games stay logged in. Each has a session of its own.
            client.signOut()
            return
        }
        await attempt { client throws(LatchkeyError) in _ = try await client.requestLogin() }
    }

    private func showGames() async {
        let games = await attempt { client throws(LatchkeyError) in
            try await client.requestLogin()
            return try await client.account.otherSessions().filter { $0.clientID != nil }
        }
        guard let games else { return }
        guard !games.isEmpty else { return write("You are not logged in to any games.") }
        write("Choose a game to log out of, or press Enter to go back.")
        guard let game = await choose(from: games, label: \.gameName) else { return }
        let end: Void? = await attempt { client throws(LatchkeyError) in
            try await client.account.revokeSession(game.id)
        }
        if end != nil { write("You are logged out of \(game.gameName).") }
    }

    /// Performs an action, and shows its error.
    ///
    /// Returns `nil` if the action has failed.
    @discardableResult
    private func attempt<Value: Sendable>(
        _ action: @Sendable (LatchkeyClient) async throws(LatchkeyError) -> Value
    ) async -> Value? {
        do throws(LatchkeyError) {
            return try await action(client)
        } catch {
            write(ErrorText.sentence(for: error))
            return nil
        }
    }

    // MARK: Input and output

    /// Writes a line without control characters, because names of games and descriptions come from the server.
    func write(_ line: String) {
        terminal.write(line.singleLine)
    }

    /// Asks the user to select one of several choices by its number.
    ///
    /// Returns `nil` after an empty line, Control-C or Control-D.
    func choose<Choice>(from choices: [Choice], label: (Choice) -> String) async -> Choice? {
        for (number, choice) in zip(1..., choices) { write("  \(number)  \(label(choice))") }
        while true {
            guard let line = try? await terminal.readLine("> ", isHidden: false), !line.isEmpty else {
                return nil
            }
            if let number = Int(line), choices.indices.contains(number - 1) { return choices[number - 1] }
            write("Enter a number from 1 to \(choices.count).")
        }
    }
}

extension Identity {
    /// The address that the user logs in with.
    fileprivate var displayName: String { phone?.e164 ?? addresses.first?.value ?? "a user" }
}

extension DeviceSession {
    /// The name of the game that the session belongs to, as the server's operator has registered it.
    fileprivate var gameName: String { (clientName ?? clientID ?? "").quoted }
}
