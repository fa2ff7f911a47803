import LatchkeyServer
import LatchkeyServerCore

/// The command that runs the server until it receives a signal.
struct ServeCommand: Subcommand {
    let syntax = Syntax(
        name: "serve",
        summary: "run the identity server",
        details: [
            "Without any flag it is a usable server: data in your data folder, codes on this terminal.",
            "Each setting is a flag, a variable LATCHKEY_… and a key of the --config file; a flag wins over a variable, a variable over the file.",
            "Ctrl-C or SIGTERM ends it in order; a second Ctrl-C at once.",
        ],
        options: ConfigurationOptions.all,
        examples: [
            ("serve", "A server to try things with"),
            ("serve --port 0 --admin-port 0 --data /tmp/try", "On free ports, with its data elsewhere"),
            ("serve --database postgres://latchkey@localhost/people", "One of many servers on PostgreSQL"),
            ("serve --config /etc/latchkey.json5", "In production"),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let configuration = try ConfigurationOptions.load(arguments, console)
        ProcessLimits.prepareToServe()
        let server = IdentityServer(configuration: configuration)
        do {
            try await server.start()
        } catch {
            throw CommandFailure(starting: error)
        }
        // Before the first line: programs that start a server may send a signal as soon as they have read it.
        let end = console.interruption.request()
        console.write("Latchkey listens on \(server.url ?? "")")
        console.write("Operator's listener  \(server.adminURL ?? "")")
        let token =
            configuration.admin.token == nil ? "in \(configuration.data)/admin.token" : "as configured"
        console.write("Admin token          \(token)")
        if let database = server.database { console.write("Database             \(database)") }
        console.write("Data                 \(configuration.data)")
        await end.value
        console.remark("Ending; Ctrl-C again ends at once.")
        await server.stop()
    }
}

extension CommandFailure {
    /// Creates a failure from the error of a start, with a hint.
    init(starting error: IdentityServerError) {
        switch error.code {
        case .storage:
            self.init(.storage, error.message, hint: "--data FOLDER chooses another data folder")
        case .listening:
            self.init(
                .network,
                error.message,
                hint: "--port and --admin-port choose other ports, 0 free ones"
            )
        case .configuration: self.init(.usage, error.message)
        case .resources, .alreadyStarted: self.init(.failed, error.message)
        }
    }
}
