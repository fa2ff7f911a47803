import LatchkeyAdmin

/// Lists OAuth clients.
///
/// This is a command for operators.
struct ClientListCommand: Subcommand {
    let syntax = Syntax(
        name: "client list",
        summary: "list OAuth clients, one per line",
        details: [OperatorOptions.detail],
        options: [
            Option("name", value: "TEXT", help: "Only the clients with exactly this name."),
            Option("owner", value: "TEXT", help: "Only the clients of exactly this owner."),
            OperatorLimit.option,
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("client list --limit 20", "The first 20, ordered by ID"),
            ("client list --json > clients.jsonl", "All clients, as JSON lines"),
        ]
    )

    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let limit = try OperatorLimit.value(in: arguments)
        let filters = [("client_name", arguments["name"]), ("owner", arguments["owner"])]
        let query = filters.compactMap { name, value in value.map { (name, $0) } }
        try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.forEachEntry(ofList: AdminRoute.clients, query: query, limit: limit) { client in
                console.write(client, asJSON: arguments.has("json"), format: ClientText.clientLine)
            }
        }
    }
}
