import LatchkeyServerCore

/// The operator's command that lists sessions.
struct SessionsListCommand: Subcommand {
    let syntax = Syntax(
        name: "sessions list",
        summary: "list sessions, a line each",
        details: [OperatorOptions.detail],
        options: [
            Option(
                "identity",
                "IDENTITY",
                "Only those of one account: its id, phone number or e-mail address."
            ),
            Option("active", nil, "Only those that can be used."), OperatorLimit.option,
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("sessions list --identity user@example.com", "Where somebody is logged in, and was"),
            ("sessions list --active --limit 20", "The first 20 that can be used"),
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
