import LatchkeyWire

/// Deletes an OAuth client.
///
/// This is a command for operators.
struct ClientDeleteCommand: Subcommand {
    let syntax = Syntax(
        name: "client delete",
        summary: "permanently delete an OAuth client and end its grants",
        details: [
            OperatorOptions.detail, "On a terminal, the command asks for confirmation.",
        ],
        operands: ["CLIENT"],
        options: [Option("yes", help: "Do not ask for confirmation.")] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("client delete shop", "Ask for confirmation"), ("client delete shop --yes", "In a script"),
        ]
    )

    /// Prints the client to standard error, asks for confirmation, and then deletes it.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if the client doesn't exist or the operator doesn't
    ///   confirm, or `usage` if there is no terminal and `--yes` is missing.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let path = try ClientFlags.path(of: arguments.operands[0])
        try await AdminClient.withClient(for: arguments, console: console) { client in
            if !arguments.has("yes") {
                console.report(lines: ClientText.client(try await client.sendToClient(.get, path: path)))
                let answer = try await console.ask(
                    "Delete this client permanently? Type yes:",
                    flag: "--yes"
                )
                guard answer == "yes" else {
                    throw CommandFailure(.failed, message: "the client was not deleted")
                }
            }
            _ = try await client.sendToClient(.delete, path: path)
        }
        console.report("Deleted.")
    }
}
