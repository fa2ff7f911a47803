import Latchkey
import LatchkeyCore
import LatchkeyFileStore

/// Flags for commands that act as a client of the server.
enum ClientOptions {
    /// All client flags, in the order that help texts list them.
    ///
    /// By default, the client connects to port 4433 on this machine, uses the base path `/a`, and stores the
    /// session in the platform's default session store.
    static let all = [
        Option("server", value: "URL", help: "The identity server. Default: http://127.0.0.1:4433."),
        Option("app", value: "ID", help: "The app that the session belongs to. Default: latchkey.command."),
        Option(
            "base-path",
            value: "PATH",
            help: "The prefix of the server's self-service paths. Default: /a."
        ),
        Option(
            "data",
            value: "FOLDER",
            help: "Where the session is stored. Default: $XDG_DATA_HOME/latchkey."
        ),
        Option(
            "storage",
            value: "KIND",
            help:
                "How the session is stored: automatic, keyring or file. Default: automatic."
        ),
        Option("trace", help: "Show the HTTP traffic; secrets are masked."),
        Option("json", help: "Print JSON."),
    ]

    /// Creates a client with the configuration in the given flags.
    ///
    /// This method doesn't send any requests.
    ///
    /// With `--trace`, HTTP exchanges are printed to standard error, so that standard output contains only
    /// the result of the command.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of a subcommand that accepts the flags in ``all``.
    ///   - console: The console that exchanges are printed to.
    ///   - registration: The command's registration as an OAuth client, for logins in a browser.
    /// - Returns: A client whose session is stored in the folder given by `--data`, or in the store selected
    ///   by `--storage`.
    /// - Throws: ``CommandFailure`` with the code `usage` if a flag is invalid or if `--data` and `--storage`
    ///   are used together. If the client can't be created, the code depends on the client's error.
    static func makeClient(
        from arguments: Arguments,
        console: Console,
        client registration: ClientRegistration? = nil
    ) throws(CommandFailure) -> LatchkeyClient {
        let server = arguments["server"] ?? "http://127.0.0.1:4433"
        let app = arguments["app"] ?? "latchkey.command"
        let storage = try storage(from: arguments)
        var configuration = LatchkeyConfiguration(server: server, app: app)
        configuration.basePath = arguments["base-path"] ?? "/a"
        configuration.store = arguments["data"].map { makeStore(server: server, app: app, folder: $0) }
        configuration.storage = storage
        configuration.client = registration
        configuration.languages = LanguagePreferences(environment: console.environment).tags
        if arguments.has("trace") {
            configuration.recorder = ExchangeRecorder {
                console.report(lines: ExchangeText.full.lines(of: $0))
            }
        }
        do throws(LatchkeyError) {
            return try LatchkeyClient(configuration)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Parses `--storage`, which can't be used together with `--data`.
    ///
    /// The value `memory` is rejected because the session would be lost when the process exits.
    private static func storage(from arguments: Arguments) throws(CommandFailure) -> StorageChoice {
        guard let name = arguments["storage"] else { return .automatic }
        guard arguments["data"] == nil else {
            throw CommandFailure(
                .usage,
                message: "--data and --storage cannot be used together: --data selects storage in a file"
            )
        }
        guard let choice = StorageChoice(rawValue: name), choice != .memory else {
            throw CommandFailure(
                .usage,
                message: "--storage must be automatic, keyring or file"
            )
        }
        return choice
    }

    /// Creates a session store in a single folder.
    ///
    /// The encrypted sessions and their keys are stored in two subfolders.
    ///
    /// A copy of the folder contains both the sessions and the keys to decrypt them.
    ///
    /// - Parameters:
    ///   - server: The server's URL. Each combination of server and app has its own session.
    ///   - app: The ID of the app.
    ///   - folder: The path of the folder that contains the two subfolders.
    /// - Returns: The session store.
    static func makeStore(server: String, app: String, folder: String) -> any SessionStore {
        EncryptedFileStore(
            // A trailing slash in the server's URL must not make a difference.
            server: WebAddress(server)?.base ?? server,
            app: app,
            location: StoreLocation(dataFolder: folder + "/sessions", keyFolder: folder + "/keys")
        )
    }
}
