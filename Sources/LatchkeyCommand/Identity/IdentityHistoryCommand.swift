import LatchkeyAdmin
import LatchkeyModel
import LatchkeyWire

/// Shows the audit events of an account.
///
/// This is a command for operators.
struct IdentityHistoryCommand: Subcommand {
    let syntax = Syntax(
        name: "identity history",
        summary: "show the audit log of an account, newest first",
        details: [OperatorOptions.detail, "Deleted accounts can be looked up by ID."],
        operands: ["IDENTITY"],
        options: [OperatorLimit.option] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("identity history user@example.com", "Logins, changes and operator actions"),
            (
                "identity history 9a8cbfb3-87bd-4087-b48d-2569b1b43386 --limit 10 --json",
                "The ten latest entries, as JSON lines"
            ),
        ]
    )

    /// Prints an account's audit events, newest first, one per line.
    ///
    /// IDs aren't checked, so an ID that never existed simply has no events. A login identifier must belong
    /// to an existing account.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the limit is invalid, or `failed` if the login
    ///   identifier is unknown.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        let limit = try OperatorLimit.value(in: arguments)
        try await AdminClient.withClient(for: arguments, console: console) { client in
            // Don't look up IDs, because the identity may have been deleted.
            let id = Identifier(name) != nil ? name : try await client.identity(named: name)["id"]?.text ?? ""
            try await client.forEachEntry(ofList: AdminRoute.audit, query: [("identity", id)], limit: limit) {
                event in
                console.write(event, asJSON: arguments.has("json"), format: OperatorText.event)
            }
        }
    }
}
