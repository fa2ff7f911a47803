import LatchkeyCommerce
import LatchkeyWire

/// Lists purchase transactions.
///
/// This is a command for operators.
struct TransactionsListCommand: Subcommand {
    let syntax = Syntax(
        name: "transactions list",
        summary: "list purchase transactions, newest first, one per line",
        details: [OperatorOptions.detail, "The server or the configuration must have a catalog."],
        options: [
            Option("identity", value: "ID", help: "List only transactions of this account."),
            Option("state", value: "STATE", help: "List only transactions in this state, such as purchased."),
            OperatorLimit.option,
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("transactions list --limit 20", "The latest 20"),
            ("transactions list --state purchasing --json", "Pending transactions, as JSON lines"),
        ]
    )

    /// Prints the transactions, one per line.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the limit is invalid, or any error thrown by
    ///   ``AdminClient/forEachEntry(ofList:query:limit:body:)``.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let limit = try OperatorLimit.value(in: arguments)
        let query = ["identity", "state"].compactMap { name in arguments[name].map { (name, $0) } }
        try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.forEachEntry(
                ofList: CommerceAdminRoute.transactions,
                query: query,
                limit: limit
            ) { transaction in
                console.write(transaction, asJSON: arguments.has("json"), format: TransactionText.line)
            }
        }
    }
}
