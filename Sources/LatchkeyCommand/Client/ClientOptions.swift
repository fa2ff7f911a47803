import Latchkey
import LatchkeyCore
import LatchkeyFileStore

/// The flags of the commands that act as a client.
enum ClientOptions {
    /// The flags in the order of help.
    ///
    /// By default, the client uses the server on port 4433 of this machine, with the base path `/a`, and the
    /// session store of the platform.
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
                "How the session is stored: automatic, secret-service or encrypted-file. Default: automatic."
        ),
        Option("trace", help: "Show the HTTP traffic; secrets are masked."),
        Option("json", help: "Print JSON."),
    ]

    /// Creates a client with the options that the flags set, without sending a request.
    ///
    /// With `--trace`, each exchange is printed to standard error, so that standard output contains only the
    /// result.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of a subcommand whose syntax includes ``all``.
    ///   - console: The console for the exchanges.
    /// - Returns: The client, whose session store is in the folder of `--data` or is selected by `--storage`.
    /// - Throws: ``CommandFailure`` of the kind `usage` if a flag is invalid or `--data` and `--storage` are
    ///   combined, or else of the kind that corresponds to the client's error.
    static func makeClient(from arguments: Arguments, console: Console) throws(CommandFailure)
        -> LatchkeyClient
    {
        let server = arguments["server"] ?? "http://127.0.0.1:4433"
        let app = arguments["app"] ?? "latchkey.command"
        let storage = try storage(from: arguments)
        var tap: (@Sendable (RecordedExchange) -> Void)?
        if arguments.has("trace") { tap = { console.report(ExchangeText.full.lines(of: $0)) } }
        do throws(LatchkeyError) {
            return try LatchkeyClient(
                server: server,
                app: app,
                basePath: arguments["base-path"] ?? "/a",
                store: arguments["data"].map { makeStore(server: server, app: app, folder: $0) },
                storage: storage,
                exchanges: tap
            )
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Parses `--storage`, which cannot be combined with `--data`.
    ///
    /// The value `memory` is rejected, because the session would end with the process.
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
                message: "--storage must be automatic, secret-service or encrypted-file"
            )
        }
        return choice
    }

    /// Creates a store in a single folder, with the sealed sessions and their keys in two subfolders.
    ///
    /// A copy of the whole folder therefore contains both the sessions and the keys that unseal them.
    ///
    /// - Parameters:
    ///   - server: The URL of the server, which selects the record together with `app`.
    ///   - app: The ID of the app.
    ///   - folder: The path of the folder that contains the two subfolders.
    /// - Returns: The store.
    static func makeStore(server: String, app: String, folder: String) -> any SessionStore {
        EncryptedFileStore(
            // The same record is selected for a server's URL with and without a trailing slash.
            server: WebAddress(server)?.base ?? server,
            app: app,
            location: StoreLocation(dataFolder: folder + "/sessions", keyFolder: folder + "/keys")
        )
    }
}
