import LatchkeyAdmin
import LatchkeyWire

/// The operator's command that creates a recovery code.
struct IdentityRecoverCommand: Subcommand {
    let syntax = Syntax(
        name: "identity recover",
        summary: "create a recovery code for an account",
        details: [
            OperatorOptions.detail,
            "Give the code only to the owner of the account. It can be used once: the user who submits it to the recovery flow is logged in and can set a new password.",
        ],
        operands: ["IDENTITY"],
        options: [
            Option("expires-in", value: "DURATION", help: "How long the code is valid, such as 1h or 15m.")
        ]
            + OperatorOptions.all,
        takesSettings: true,
        examples: [("identity recover user@example.com --expires-in 15m", "For a user on the phone")]
    )

    /// Creates a recovery code, and prints it to standard output with the link to the recovery page and the
    /// expiry time.
    ///
    /// The code is not sent to the user. Without `--expires-in`, the code has the server's default lifespan
    /// of one-time codes.
    ///
    /// - Throws: ``CommandFailure`` of the kind `failed` if there is no such identity or recovery is
    ///   disabled, or `refused` for an invalid duration.
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
            }.joined(separator: "\n")
        }
    }
}
