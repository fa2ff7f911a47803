import LatchkeyServerCore

/// The operator's command that lists sessions.
struct SessionsListCommand: Subcommand {
    let syntax = Syntax(
        name: "sessions list",
        summary: "list sessions, one per line",
        details: [OperatorOptions.detail],
        options: [
            Option(
                "identity",
                "IDENTITY",
                "Only the sessions of one account: its id, phone number or e-mail address."
            ),
            Option("active", nil, "Only active sessions."), OperatorLimit.option,
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("sessions list --identity user@example.com", "The current and past sessions of a user"),
            ("sessions list --active --limit 20", "The first 20 active sessions"),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let limit = try OperatorLimit.value(arguments)
        let active = arguments.has("active") ? [("active", "true")] : []
        try await OperatorDesk.open(arguments, console) { desk in
            let path: String
            var query = active
            if let name = arguments["identity"] {
                path = try await desk.path(of: name) + "/sessions"
            } else {
                path = AdminRoute.sessions
                query += [("expand", "identity"), ("expand", "devices")]
            }
            try await desk.list(path, query: query, limit: limit) { session in
                OperatorText.write(session, arguments, console, OperatorText.session)
            }
        }
    }
}
