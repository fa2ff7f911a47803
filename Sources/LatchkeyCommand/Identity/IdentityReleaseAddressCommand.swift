import LatchkeyAdmin
import LatchkeyWire

/// Releases an address from an account whose user no longer owns the address.
///
/// This is a command for operators.
struct IdentityReleaseAddressCommand: Subcommand {
    let syntax = Syntax(
        name: "identity release-address",
        summary: "release an address from its account, so that its new owner can use it",
        details: [
            OperatorOptions.detail,
            "Use this for a phone number that the carrier has reassigned. The address stays in the account's traits, but can no longer be used for login, verification or recovery, and the account's unused codes are invalidated. Its sessions stay active; revoke them with latchkey sessions revoke if needed.",
            "On a terminal, the command asks for confirmation.",
        ],
        operands: ["ADDRESS"],
        options: [Option("yes", help: "Do not ask for confirmation.")] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            (
                "identity release-address +439999999999",
                "Ask for confirmation, then release a recycled phone number"
            ),
            ("identity release-address user@example.com --yes", "In a script"),
        ]
    )

    /// Asks for confirmation, releases the address, and prints the IDs of the accounts that used it.
    ///
    /// If there is no terminal, `--yes` is required.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if no account uses the address or the operator
    ///   doesn't confirm, or `refused` if the operand isn't a valid address.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let address = arguments.operands[0]
        let answer = try await AdminClient.withClient(for: arguments, console: console) { client in
            if !arguments.has("yes") {
                let answer = try await console.ask("Release \(address)? Type yes:", flag: "--yes")
                guard answer == "yes" else {
                    throw CommandFailure(.failed, message: "the address was not released")
                }
            }
            return try await client.send(
                .post,
                path: AdminRoute.releasedAddresses,
                body: .object(["address": .string(address)])
            )
        }
        console.write(answer, asJSON: arguments.has("json")) { answer in
            guard case .array(let identities)? = answer["identities"] else { return [] }
            return identities.compactMap(\.text).map { "released from \($0)" }
        }
    }
}
