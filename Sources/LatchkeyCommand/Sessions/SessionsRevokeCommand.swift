import LatchkeyAdmin
import LatchkeyServerKit
import LatchkeyWire

/// Revokes sessions.
///
/// This is a command for operators.
struct SessionsRevokeCommand: Subcommand {
    let syntax = Syntax(
        name: "sessions revoke",
        summary: "revoke a session or, with --all, every session of an account",
        details: [OperatorOptions.detail],
        operands: ["SESSION"],
        options: [
            Option(
                "all",
                help: "Revoke all sessions of an account; SESSION is then the account's identifier."
            )
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("sessions revoke 9a8cbfb3-87bd-4087-b48d-2569b1b43386", "Revoke one session, by ID"),
            ("sessions revoke user@example.com --all", "Log a user out everywhere"),
        ]
    )

    /// Revokes a session or, with `--all`, all sessions of an account.
    ///
    /// Revoking a session that has already been revoked succeeds.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if the session or the identity doesn't exist, or
    ///   `refused` if `--all` isn't given and the operand isn't a UUID.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        try await AdminClient.withClient(for: arguments, console: console) { client in
            let path =
                arguments.has("all")
                ? try await client.path(of: name) + "/sessions"
                : try AdminClient.path(ofSession: name)
            _ = try await client.send(.delete, path: path)
        }
        console.report("Done.")
    }
}
