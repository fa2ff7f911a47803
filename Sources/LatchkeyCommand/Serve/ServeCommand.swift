import LatchkeyServer
import LatchkeyServerKit

/// The command that runs the server until it receives a signal.
struct ServeCommand: Subcommand {
    let syntax = Syntax(
        name: "serve",
        summary: "run the identity server",
        details: [
            "No flag is required: by default, data is stored in your data folder and codes are printed on this terminal.",
            "Each setting is a flag, an environment variable LATCHKEY_… and a key in the --config file. Flags override variables; variables override the file.",
            "Ctrl-C or SIGTERM shuts the server down gracefully; a second Ctrl-C stops it at once.",
        ],
        options: ConfigurationOptions.all,
        examples: [
            ("serve", "Try it out"),
            ("serve --port 0 --admin-port 0 --data /tmp/try", "On free ports, with another data folder"),
            ("serve --database postgres://latchkey@localhost/people", "One of several servers on PostgreSQL"),
            ("serve --config /etc/latchkey.json5", "In production"),
        ]
    )

    /// Starts the server and prints its addresses.
    ///
    /// The command returns after the first SIGINT or SIGTERM, once requests in progress are completed.
    ///
    /// A signal while the server is starting ends the process at once, whereas a signal after the first line
    /// of output causes a graceful shutdown. Another signal during the shutdown ends the process at once.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` for an invalid configuration, or else the failure
    ///   that ``CommandFailure/init(starting:)`` creates.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let configuration = try ConfigurationOptions.load(from: arguments, console: console)
        ProcessLimits.prepareToServe()
        let server = IdentityServer(configuration: configuration)
        do {
            try await server.start()
        } catch {
            throw CommandFailure(starting: error)
        }
        // This precedes the first line of output, because programs that start a server may send a signal as
        // soon as they have read it.
        let end = console.interruption.request()
        console.write("Latchkey listens on \(server.url ?? "")")
        console.write("Admin listener       \(server.adminURL ?? "")")
        let token =
            configuration.admin.token == nil ? "in \(configuration.data)/admin.token" : "as configured"
        console.write("Admin token          \(token)")
        if let database = server.database { console.write("Database             \(database)") }
        console.write("Data                 \(configuration.data)")
        await end.value
        console.report("Shutting down. Press Ctrl-C again to stop at once.")
        await server.stop()
    }
}

extension CommandFailure {
    /// Creates a failure, with a hint, from an error that prevented the server from starting.
    ///
    /// The kind is `storage` if the database or data folder cannot be used, `network` if the server cannot
    /// listen on an address, `usage` for an invalid setting, and `failed` for any other error.
    init(starting error: IdentityServerError) {
        switch error.code {
        case .storage:
            self.init(
                .storage,
                message: error.message,
                hint: "use --data FOLDER to choose another data folder"
            )
        case .listening:
            self.init(
                .network,
                message: error.message,
                hint: "choose other ports with --port and --admin-port; 0 selects a free port"
            )
        case .configuration: self.init(.usage, message: error.message)
        case .resources, .alreadyStarted: self.init(.failed, message: error.message)
        }
    }
}
