import Arcade
import ExampleDemo
import Foundation
import LatchkeyLinux
import LatchkeyTerminal
import OnsideKit

/// The `arcade` command, which runs the app in the current terminal.
@main @MainActor struct ArcadeCommand {
    private static let scheme = "com.example.arcade"
    private static let usage = """
        usage: arcade [SERVER]
               arcade [--server SERVER] URL
               arcade --demo SERVER MESSAGES
               arcade --unregister
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let standardServer = "http://127.0.0.1:4433"
        do throws(ArcadeFailure) {
            switch (arguments.count, arguments.first ?? "") {
            case (0, _): try await run(server: standardServer, terminal: systemTerminal())
            case (1, "--unregister"): try await unregister()
            case (1, let url) where isAnswer(url): try await complete(url, server: standardServer)
            case (1, let server) where !server.hasPrefix("-"):
                try await run(server: server, terminal: systemTerminal())
            case (3, "--server") where isAnswer(arguments[2]):
                try await complete(arguments[2], server: arguments[1])
            case (3, "--demo"):
                try await run(
                    server: arguments[1],
                    terminal: DemoTerminal(answers: demonstration, messages: arguments[2])
                )
            default: throw ArcadeFailure(description: usage, status: EX_USAGE)
            }
        } catch {
            DemoTerminal.complain("arcade: \(error)")
            exit(error.status)
        }
    }

    /// The answers of a simulated user who buys a game, adds a card, restores the purchase, looks at the history and
    /// logs out.
    private static let demonstration = [
        "1", "2",  // the shop: the game
        "1", "4242 4242 4242 4242", "4",  // no card yet: add one
        "2",  // restore
        "4",  // the history
        "5",  // log out
        "6",  // quit
    ]

    private static func systemTerminal() throws(ArcadeFailure) -> SystemTerminal {
        guard let terminal = SystemTerminal() else {
            throw ArcadeFailure(description: "the arcade needs a terminal")
        }
        return terminal
    }

    /// Initializes OnsideKit and runs the app until the user quits.
    ///
    /// - Parameters:
    ///   - server: The URL of the server.
    ///   - terminal: The terminal to run on.
    /// - Throws: ``ArcadeFailure`` if the configuration is invalid.
    private static func run(server: String, terminal: any Terminal) async throws(ArcadeFailure) {
        // OnsideKit holds the presenter weakly, so we need to keep a reference.
        let presenter = OnsideTerminalPresenter(terminal: terminal)
        try initialize(
            configuration(server: server, presenter: presenter, terminal: terminal as? SystemTerminal)
        )
        do throws(LatchkeyError) {
            try await DesktopSchemeHandlers()
                .register(scheme, name: "Arcade", arguments: ["--server", server])
        } catch {
            // The store app couldn't return, so users log in here.
            Onside.callbackScheme = nil
            terminal.write("! \(error.message)")
        }
        await ArcadeApp(terminal: terminal).run()
        withExtendedLifetime(presenter) {}
    }

    // MARK: The answer of the store app

    /// Whether the store app has started this process with its answer to a login.
    private static func isAnswer(_ text: String) -> Bool {
        text.lowercased().hasPrefix(scheme + ":")
    }

    /// Completes the login for which another process of this app waits.
    private static func complete(_ url: String, server: String) async throws(ArcadeFailure) {
        let presenter = NoScreen()
        try initialize(configuration(server: server, presenter: presenter))
        guard let url = URL(string: url), await Onside.completeLogin(with: url) else {
            throw ArcadeFailure(description: "the URL has logged no user in")
        }
        withExtendedLifetime(presenter) {}
    }

    private static func unregister() async throws(ArcadeFailure) {
        do throws(LatchkeyError) {
            try await DesktopSchemeHandlers().unregister(scheme)
        } catch {
            throw ArcadeFailure(description: error.message)
        }
    }

    // MARK: OnsideKit

    private static func configuration(
        server: String,
        presenter: any OnsidePresenter,
        terminal: SystemTerminal? = nil
    ) -> OnsideConfiguration {
        var configuration = OnsideConfiguration(server: server, clientID: scheme, presenter: presenter)
        // The store app runs on this terminal if it needs one.
        configuration.schemeHandlers = DesktopSchemeHandlers(
            preferring: ["com.example.store-handler.desktop"],
            terminal: terminal
        )
        configuration.storeAppScheme = "com.example.store"
        configuration.storeAppName = "Example Store"
        return configuration
    }

    private static func initialize(_ configuration: OnsideConfiguration) throws(ArcadeFailure) {
        Onside.callbackScheme = scheme
        do throws(OnsideConfigurationError) {
            try Onside.initialize(configuration: configuration)
        } catch {
            throw ArcadeFailure(description: error.description)
        }
    }
}

/// The presenter of a process that shows no screens.
@MainActor private final class NoScreen: OnsidePresenter {
    func present(_ login: LoginPresentation) async {
        login.dismiss()
    }

    func presentPaymentMethods(_ purchases: Purchases) async {}
}

/// The reason the program exits.
struct ArcadeFailure: Error, CustomStringConvertible {
    let description: String
    var status: Int32 = EXIT_FAILURE
}
