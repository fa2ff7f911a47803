import LatchkeyAdmin

/// Lists identities.
///
/// This is a command for operators.
struct IdentityListCommand: Subcommand {
    let syntax = Syntax(
        name: "identity list",
        summary: "list identities, one per line",
        details: [OperatorOptions.detail],
        options: [OperatorLimit.option] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("identity list --limit 20", "The first 20, ordered by ID"),
            ("identity list --json > identities.jsonl", "All identities, as JSON lines"),
        ]
    )

    /// Prints the identities, ordered by ID, one per line.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the limit is invalid, or any error thrown by
    ///   ``AdminClient/forEachEntry(ofList:query:limit:body:)``.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let limit = try OperatorLimit.value(in: arguments)
        try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.forEachEntry(ofList: AdminRoute.identities, limit: limit) { identity in
                console.write(identity, asJSON: arguments.has("json"), format: OperatorText.identityLine)
            }
        }
    }
}
