import LatchkeyServer
import LatchkeyServerKit

/// Runs the server until the process receives a signal.
struct ServeCommand: Subcommand {
    let syntax = Syntax(
        name: "serve",
        summary: "run the identity server",
        details: [
            "All flags are optional. By default, data is stored in your data folder, and codes are printed on this terminal.",
            "Each setting can be given as a flag, as an environment variable LATCHKEY_… or as a key in the --config file. Flags override environment variables, which override the file.",
            "Ctrl-C, SIGTERM or SIGHUP shuts the server down gracefully. A second Ctrl-C stops it immediately.",
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
    /// After the first SIGINT, SIGTERM or SIGHUP, the command waits for requests in progress to complete and
    /// then returns.
    ///
    /// A signal that is received before the first line of output ends the process immediately, because the
    /// server is still starting. Once the server is running, the first signal shuts it down gracefully, and a
    /// second signal ends the process immediately.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the configuration is invalid. If the server
    ///   can't be started, the failure is created by ``CommandFailure/init(starting:)``.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let configuration = try ConfigurationOptions.load(from: arguments, console: console)
        ProcessLimits.prepareToServe()
        var parts = ServerParts.system(logging: configuration.logLevel)
        parts.dataCreated = { console.report($0) }
        let server = IdentityServer(configuration: configuration, parts: parts)
        do {
            try await server.start()
        } catch {
            throw CommandFailure(starting: error)
        }
        // Register for signals before printing the first line, because a program that starts the server may
        // send a signal as soon as it has read the first line.
        let end = console.interruption.request()
        console.write("Latchkey listens on \(server.url ?? "")")
        console.write("Admin listener       \(server.adminURL ?? "")")
        let token =
            configuration.admin.token == nil ? "in \(configuration.data)/admin.token" : "as configured"
        console.write("Admin token          \(token)")
        if let database = server.database { console.write("Database             \(database)") }
        console.write("Data                 \(configuration.data)")
        await end.value
        console.report("Shutting down. Press Ctrl-C again to stop immediately.")
        await server.stop()
    }
}

extension CommandFailure {
    /// Creates a failure, including a hint, for an error that prevented the server from starting.
    ///
    /// The code is `storage` if the database or the data folder can't be used, `network` if the server can't
    /// listen on an address, `usage` if a setting is invalid, and `failed` for any other error. If there are
    /// several problems, the first one determines the code.
    init(starting error: IdentityServerError) {
        switch error.code {
        case .storage:
            self.init(
                .storage,
                message: error.message,
                hint: "use --data, LATCHKEY_DATA or data in the --config file to choose the data folder"
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
