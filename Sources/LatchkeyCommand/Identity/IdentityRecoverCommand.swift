import LatchkeyServerCore
import LatchkeyWire

/// The operator's command that creates a recovery code.
struct IdentityRecoverCommand: Subcommand {
    let syntax = Syntax(
        name: "identity recover",
        summary: "make a code with which an account's owner gets back in",
        details: [
            OperatorOptions.detail,
            "Hand it over to the owner, and to nobody else: it opens the account once. Whoever submits it to the recovery flow is logged in and can choose another password.",
        ],
        operands: ["IDENTITY"],
        options: [Option("expires-in", "DURATION", "How long it lives, such as 1h or 15m.")]
            + OperatorOptions.all,
        takesSettings: true,
        examples: [("identity recover user@example.com --expires-in 15m", "For somebody on the telephone")]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        let lifespan = arguments["expires-in"]
        let code = try await OperatorDesk.open(arguments, console) { desk in
            let identity = try await desk.identity(name)
            var body = ["identity_id": identity["id"] ?? .null]
            if let lifespan { body["expires_in"] = .string(lifespan) }
            return try await desk.send(.post, AdminRoute.recoveryCode, body: .object(body))
        }
        OperatorText.write(code, arguments, console) { code in
            ["recovery_code", "recovery_link", "expires_at"].map { name in
                name + String(repeating: " ", count: 15 - name.count) + (code[name]?.text ?? "")
            }.joined(separator: "\n")
        }
    }
}
