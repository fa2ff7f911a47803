import Arcade
import Glibc
import LatchkeyLinux
import LatchkeyTerminal
import OnsideKit

/// The `arcade` command, which runs the app in the current terminal.
@main @MainActor struct ArcadeCommand {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do throws(ArcadeFailure) {
            switch arguments.count {
            case 0: try await run(server: "http://127.0.0.1:4433", terminal: systemTerminal())
            case 1 where !arguments[0].hasPrefix("-"):
                try await run(server: arguments[0], terminal: systemTerminal())
            case 3 where arguments[0] == "--demo":
                try await run(
                    server: arguments[1],
                    terminal: DemoTerminal(messages: arguments[2]),
                    inMemory: true
                )
            default:
                throw ArcadeFailure(description: "usage: arcade [SERVER] | arcade --demo SERVER MESSAGES")
            }
        } catch {
            DemoTerminal.show("arcade: \(error)")
            exit(1)
        }
    }

    private static func systemTerminal() throws(ArcadeFailure) -> any Terminal {
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
    ///   - inMemory: Whether the session is only stored in memory and ends with the process.
    /// - Throws: ``ArcadeFailure`` if the configuration is invalid.
    private static func run(
        server: String,
        terminal: any Terminal,
        inMemory: Bool = false
    ) async throws(ArcadeFailure) {
        // OnsideKit holds the presenter weakly, so we need to keep a reference.
        let presenter = OnsideTerminalPresenter(terminal: terminal)
        var configuration = OnsideConfiguration(
            server: server,
            clientID: "com.example.arcade",
            presenter: presenter
        )
        configuration.schemeHandlers = DesktopSchemeHandlers()
        if inMemory { configuration.client.store = MemoryStore() }
        do throws(OnsideConfigurationError) {
            try Onside.initialize(configuration: configuration)
        } catch {
            throw ArcadeFailure(description: error.description)
        }
        await ArcadeApp(terminal: terminal).run()
        withExtendedLifetime(presenter) {}
    }
}

/// The reason the program exits.
struct ArcadeFailure: Error, CustomStringConvertible {
    let description: String
}
