import LatchkeyWire

/// Lists the published documents.
///
/// This is a command for operators.
struct TermsListCommand: Subcommand {
    let syntax = Syntax(
        name: "terms list",
        summary: "list the published documents and their versions",
        details: [OperatorOptions.detail],
        options: OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("terms list", "All documents"), ("terms list --json > terms.jsonl", "As JSON lines"),
        ]
    )

    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let documents = try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.send(.get, path: TermsAdminRoute.documents)
        }
        guard case .array(let documents) = documents else {
            throw CommandFailure(.failed, message: "the server did not return a list")
        }
        for document in documents {
            console.write(document, asJSON: arguments.has("json"), format: TermsText.document)
        }
    }
}
