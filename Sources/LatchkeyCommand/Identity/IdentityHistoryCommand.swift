import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire

/// The operator's command that shows the audit events of an account.
struct IdentityHistoryCommand: Subcommand {
    let syntax = Syntax(
        name: "identity history",
        summary: "show what was done to an account, the latest first",
        details: [OperatorOptions.detail, "By its id also of an account that was deleted."],
        operands: ["IDENTITY"],
        options: [OperatorLimit.option] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("identity history user@example.com", "Logins, changes, and an operator's deeds"),
            (
                "identity history 9a8cbfb3-87bd-4087-b48d-2569b1b43386 --limit 10 --json",
                "The last ten, as JSON lines"
            ),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        let limit = try OperatorLimit.value(arguments)
        try await OperatorDesk.open(arguments, console) { desk in
            // An ID is not looked up, as the identity may have been deleted.
            let id = Identifier(name) != nil ? name : try await desk.identity(name)["id"]?.text ?? ""
            try await desk.list(AdminRoute.audit, query: [("identity", id)], limit: limit) { event in
                OperatorText.write(event, arguments, console, OperatorText.event)
            }
        }
    }
}
