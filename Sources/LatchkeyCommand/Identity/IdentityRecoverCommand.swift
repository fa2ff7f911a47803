import LatchkeyAdmin
import LatchkeyWire

/// Creates a recovery code.
///
/// This is a command for operators.
struct IdentityRecoverCommand: Subcommand {
    let syntax = Syntax(
        name: "identity recover",
        summary: "create a recovery code for an account",
        details: [
            OperatorOptions.detail,
            "Give the code only to the owner of the account. It can be used once. Entering it in the recovery flow logs the user in and lets them set a new password.",
        ],
        operands: ["IDENTITY"],
        options: [
            Option("expires-in", value: "DURATION", help: "How long the code is valid, such as 1h or 15m.")
        ]
            + OperatorOptions.all,
        takesSettings: true,
        examples: [("identity recover user@example.com --expires-in 15m", "Help a user over the phone")]
    )

    /// Creates a recovery code and prints it to standard output, together with a link to the recovery page
    /// and the expiry date.
    ///
    /// The server doesn't send the code to the user. Unless `--expires-in` is given, the code is valid for as
    /// long as other one-time codes.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if the identity doesn't exist or recovery is
    ///   disabled, or `refused` if the duration is invalid.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        let lifespan = arguments["expires-in"]
        let code = try await AdminClient.withClient(for: arguments, console: console) { client in
            let identity = try await client.identity(named: name)
            var body = ["identity_id": identity["id"] ?? .null]
            if let lifespan { body["expires_in"] = .string(lifespan) }
            return try await client.send(.post, path: AdminRoute.recoveryCode, body: .object(body))
        }
        console.write(code, asJSON: arguments.has("json")) { code in
            ["recovery_code", "recovery_link", "expires_at"].map { name in
                name + String(repeating: " ", count: 15 - name.count) + (code[name]?.text ?? "")
            }
        }
    }
}
