import LatchkeyCommerce
import LatchkeyModel
import LatchkeyWire

/// Refunds a purchase.
///
/// This is a command for operators.
struct TransactionsRefundCommand: Subcommand {
    let syntax = Syntax(
        name: "transactions refund",
        summary: "refund a purchase",
        details: [
            OperatorOptions.detail,
            "The account loses access to the product. A purchase is refunded only once, even if you repeat the command.",
            "On a terminal, the command asks for confirmation.",
        ],
        operands: ["ID"],
        options: [Option("yes", help: "Do not ask for confirmation.")] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("transactions refund 3f0c3c0e-3c6f-4c0e-9d0a-111111111111", "Ask for confirmation, then refund"),
            ("transactions refund 3f0c3c0e-3c6f-4c0e-9d0a-111111111111 --yes", "In a script"),
        ]
    )

    /// Asks for confirmation, then refunds the transaction and prints it.
    ///
    /// If there is no terminal, `--yes` is required.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the operand isn't a valid ID, or `failed` if the
    ///   operator doesn't confirm or the transaction can't be refunded.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        guard let id = Identifier(arguments.operands[0]) else {
            throw CommandFailure(.usage, message: "the transaction ID must be a UUID")
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
