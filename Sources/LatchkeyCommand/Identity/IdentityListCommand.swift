import LatchkeyServerCore

/// The operator's command that lists identities.
struct IdentityListCommand: Subcommand {
    let syntax = Syntax(
        name: "identity list",
        summary: "list identities, one per line",
        details: [OperatorOptions.detail],
        options: [OperatorLimit.option] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("identity list --limit 20", "The first 20, ordered by id"),
            ("identity list --json > identities.jsonl", "All identities, as JSON lines"),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let limit = try OperatorLimit.value(arguments)
        try await OperatorDesk.open(arguments, console) { desk in
            try await desk.list(AdminRoute.identities, limit: limit) { identity in
                OperatorText.write(identity, arguments, console, OperatorText.identityLine)
            }
        }
    }
}
