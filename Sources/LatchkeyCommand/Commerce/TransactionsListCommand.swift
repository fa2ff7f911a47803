import LatchkeyCommerce
import LatchkeyWire

/// The operator's command that lists purchase transactions.
struct TransactionsListCommand: Subcommand {
    let syntax = Syntax(
        name: "transactions list",
        summary: "list purchase transactions, newest first, one per line",
        details: [OperatorOptions.detail, "The server or the configuration must have a catalog."],
        options: [
            Option("identity", value: "ID", help: "Only transactions of this account."),
            Option("state", value: "STATE", help: "Only transactions in this state, such as purchased."),
            OperatorLimit.option,
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("transactions list --limit 20", "The latest 20"),
            ("transactions list --state purchasing --json", "Those without a result, as JSON lines"),
        ]
    )

    /// Prints the transactions.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` for an invalid limit, and the errors of
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
