import LatchkeyAdmin
import LatchkeyWire

/// Deletes an identity.
///
/// This is a command for operators.
struct IdentityDeleteCommand: Subcommand {
    let syntax = Syntax(
        name: "identity delete",
        summary: "permanently delete an identity and everything that belongs to it",
        details: [
            OperatorOptions.detail,
            "The audit log retains the identity's ID. On a terminal, the command asks for confirmation.",
        ],
        operands: ["IDENTITY"],
        options: [Option("yes", help: "Do not ask for confirmation.")] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("identity delete user@example.com", "Ask for confirmation"),
            ("identity delete 9a8cbfb3-87bd-4087-b48d-2569b1b43386 --yes", "In a script"),
        ]
    )

    /// Prints the identity to standard error, asks for confirmation, and then deletes it.
    ///
    /// If there is no terminal, `--yes` is required.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if the identity doesn't exist or the operator
    ///   doesn't confirm.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        try await AdminClient.withClient(for: arguments, console: console) { client in
            let identity = try await client.identity(named: name)
            if !arguments.has("yes") {
                console.report(lines: OperatorText.identity(identity))
                let answer = try await console.ask(
                    "Delete this identity permanently? Type yes:",
                    flag: "--yes"
                )
                guard answer == "yes" else {
                    throw CommandFailure(.failed, message: "the identity was not deleted")
                }
            }
            _ = try await client.send(
                .delete,
                path: AdminRoute.identities + "/" + (identity["id"]?.text ?? "")
            )
        }
        console.report("Deleted.")
    }
}
