import LatchkeyAdmin

/// The operator's command that lists identities.
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
    /// - Throws: ``CommandFailure`` of the kind `usage` for an invalid limit, and the errors of
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
