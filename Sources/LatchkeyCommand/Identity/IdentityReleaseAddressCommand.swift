import LatchkeyAdmin
import LatchkeyWire

/// The operator's command that releases an address that now belongs to a different user.
struct IdentityReleaseAddressCommand: Subcommand {
    let syntax = Syntax(
        name: "identity release-address",
        summary: "release an address from its account, so that its new owner can use it",
        details: [
            OperatorOptions.detail,
            "Use this for a phone number that the carrier has reassigned. The address stays in the account's traits, but can no longer be used to log in, for verification or for recovery, and the account's open codes are invalidated. Its sessions stay active; end them with latchkey sessions revoke if needed.",
            "On a terminal, the command asks for confirmation.",
        ],
        operands: ["ADDRESS"],
        options: [Option("yes", help: "Do not ask for confirmation.")] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            (
                "identity release-address +439999999999",
                "Release a recycled phone number; asks for confirmation"
            ),
            ("identity release-address user@example.com --yes", "In a script"),
        ]
    )

    /// Releases the address after a confirmation, and prints the IDs of the accounts that had it.
    ///
    /// Without a terminal, `--yes` is required.
    ///
    /// - Throws: ``CommandFailure`` of the kind `failed` if no account has the address or the answer is not
    ///   `yes`, or `refused` if the operand is not an address.
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
            guard case .array(let identities)? = answer["identities"] else { return "" }
            return identities.compactMap(\.text).map { "released from \($0)" }.joined(separator: "\n")
        }
    }
}
