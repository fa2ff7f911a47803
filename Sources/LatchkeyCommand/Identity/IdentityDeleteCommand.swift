import LatchkeyServerCore
import LatchkeyWire

/// The operator's command that deletes an identity.
struct IdentityDeleteCommand: Subcommand {
    let syntax = Syntax(
        name: "identity delete",
        summary: "delete an identity and all that belongs to it, for good",
        details: [
            OperatorOptions.detail, "The audit log keeps its id. On a terminal it is asked for once more.",
        ],
        operands: ["IDENTITY"],
        options: [Option("yes", nil, "Do not ask.")] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("identity delete user@example.com", "Asks first"),
            ("identity delete 9a8cbfb3-87bd-4087-b48d-2569b1b43386 --yes", "In a script"),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        try await OperatorDesk.open(arguments, console) { desk in
            let identity = try await desk.identity(name)
            if !arguments.has("yes") {
                console.remark(OperatorText.identity(identity))
                let answer = try await console.ask("Delete it for good? Type yes:", orGive: "--yes")
                guard answer == "yes" else { throw CommandFailure(.failed, "nothing was deleted") }
            }
            _ = try await desk.send(.delete, AdminRoute.identities + "/" + (identity["id"]?.text ?? ""))
        }
        console.remark("It is gone.")
    }
}
