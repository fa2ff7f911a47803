import LatchkeyServerCore
import LatchkeyWire

/// The operator's command that deletes an identity.
struct IdentityDeleteCommand: Subcommand {
    let syntax = Syntax(
        name: "identity delete",
        summary: "permanently delete an identity and everything that belongs to it",
        details: [
            OperatorOptions.detail,
            "The audit log retains its id. On a terminal, the command asks for confirmation.",
        ],
        operands: ["IDENTITY"],
        options: [Option("yes", nil, "Do not ask for confirmation.")] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("identity delete user@example.com", "Ask for confirmation"),
            ("identity delete 9a8cbfb3-87bd-4087-b48d-2569b1b43386 --yes", "In a script"),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        try await OperatorDesk.open(arguments, console) { desk in
            let identity = try await desk.identity(name)
            if !arguments.has("yes") {
                console.remark(OperatorText.identity(identity))
                let answer = try await console.ask(
                    "Delete this identity permanently? Type yes:",
                    orGive: "--yes"
                )
                guard answer == "yes" else { throw CommandFailure(.failed, "the identity was not deleted") }
            }
            _ = try await desk.send(.delete, AdminRoute.identities + "/" + (identity["id"]?.text ?? ""))
        }
        console.remark("Deleted.")
    }
}
