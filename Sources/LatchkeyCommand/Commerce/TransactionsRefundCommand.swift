import LatchkeyCommerce
import LatchkeyModel
import LatchkeyWire

/// The operator's command that returns the money of a purchase.
struct TransactionsRefundCommand: Subcommand {
    let syntax = Syntax(
        name: "transactions refund",
        summary: "return the money of a purchase",
        details: [
            OperatorOptions.detail,
            "The account loses the product. The command can be repeated: the money is returned once.",
            "On a terminal, the command asks for confirmation.",
        ],
        operands: ["ID"],
        options: [Option("yes", help: "Do not ask for confirmation.")] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("transactions refund 3f0c3c0e-3c6f-4c0e-9d0a-111111111111", "Refund; asks for confirmation"),
            ("transactions refund 3f0c3c0e-3c6f-4c0e-9d0a-111111111111 --yes", "In a script"),
        ]
    )

    /// Refunds the transaction after a confirmation, and prints it.
    ///
    /// Without a terminal, `--yes` is required.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` if the operand is not an id, or `failed` if the answer is not
    ///   `yes` or the transaction cannot be refunded.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        guard let id = Identifier(arguments.operands[0]) else {
            throw CommandFailure(.usage, message: "the id of the transaction must be a UUID")
        }
        let refunded = try await AdminClient.withClient(for: arguments, console: console) { client in
            if !arguments.has("yes") {
                let answer = try await console.ask("Refund \(id)? Type yes:", flag: "--yes")
                guard answer == "yes" else {
                    throw CommandFailure(.failed, message: "the transaction was not refunded")
                }
            }
            return try await client.send(.post, path: CommerceAdminRoute.refund(of: id.description))
        }
        console.write(refunded, asJSON: arguments.has("json"), format: TransactionText.line)
    }
}
