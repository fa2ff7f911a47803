import LatchkeyAdmin

/// Lists sessions.
///
/// This is a command for operators.
struct SessionsListCommand: Subcommand {
    let syntax = Syntax(
        name: "sessions list",
        summary: "list sessions, one per line",
        details: [OperatorOptions.detail],
        options: [
            Option(
                "identity",
                value: "IDENTITY",
                help: "List only sessions of the account with this ID, phone number or address."
            ),
            Option("active", help: "List only active sessions."), OperatorLimit.option,
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("sessions list --identity user@example.com", "The current and past sessions of a user"),
            ("sessions list --active --limit 20", "The first 20 active sessions"),
        ]
    )

    /// Prints the sessions, ordered by ID, one per line.
    ///
    /// Expired and revoked sessions are included unless `--active` is given.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the limit is invalid, or `failed` if the
    ///   identity is unknown.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let limit = try OperatorLimit.value(in: arguments)
        let active = arguments.has("active") ? [("active", "true")] : []
        try await AdminClient.withClient(for: arguments, console: console) { client in
            let path: String
            var query = active
            if let name = arguments["identity"] {
                path = try await client.path(of: name) + "/sessions"
            } else {
                path = AdminRoute.sessions
                query += [("expand", "identity"), ("expand", "devices")]
            }
            try await client.forEachEntry(ofList: path, query: query, limit: limit) { session in
                console.write(session, asJSON: arguments.has("json"), format: OperatorText.session)
            }
        }
    }
}
