import LatchkeyWire

/// Shows how many accounts have answered each document.
///
/// This is a command for operators.
struct TermsStatusCommand: Subcommand {
    let syntax = Syntax(
        name: "terms status",
        summary: "show how many accounts have answered the documents",
        details: [
            OperatorOptions.detail,
            "For each document, the command counts the active accounts that have answered the required version, the accounts by the newest version that they have answered, and the accounts with active sessions of each client.",
        ],
        options: OperatorOptions.all,
        takesSettings: true,
        examples: [("terms status", "All documents"), ("terms status --json", "As JSON lines")]
    )

    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let documents = try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.send(.get, path: TermsAdminRoute.status)
        }
        guard case .array(let documents) = documents else {
            throw CommandFailure(.failed, message: "the server did not return a list")
        }
        for document in documents {
            console.write(document, asJSON: arguments.has("json"), format: TermsText.status)
        }
    }
}
