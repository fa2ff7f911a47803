import LatchkeyAdmin
import LatchkeyWire

/// The operator's command that disables or enables an account.
struct IdentityStateCommand: Subcommand {
    let syntax: Syntax
    /// The state to set: `active` or `inactive`.
    private let state: String

    /// The command that deactivates an account, revokes its sessions and invalidates its open codes.
    static let disable = IdentityStateCommand(
        word: "disable",
        summary: "disable an account: prevent logins and revoke its sessions",
        state: "inactive"
    )
    /// The command that activates an account, whose user has to log in again.
    static let enable = IdentityStateCommand(
        word: "enable",
        summary: "enable a disabled account; its revoked sessions stay revoked",
        state: "active"
    )

    /// Creates the command for one of the states, with `word` as the second word of its name.
    private init(word: String, summary: String, state: String) {
        self.state = state
        syntax = Syntax(
            name: "identity \(word)",
            summary: summary,
            details: [OperatorOptions.detail],
            operands: ["IDENTITY"],
            options: OperatorOptions.all,
            takesSettings: true,
            examples: [("identity \(word) user@example.com", "By login identifier or ID")]
        )
    }

    /// Sets the state and prints the identity.
    ///
    /// If the identity already had this state, a message is written to standard error.
    ///
    /// - Throws: ``CommandFailure`` of the kind `failed` if there is no such identity.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        let patch = JSONValue.array([
            .object(["op": .string("replace"), "path": .string("/state"), "value": .string(state)])
        ])
        let (before, after) = try await AdminClient.withClient(for: arguments, console: console) { client in
            let before = try await client.identity(named: name)
            let path = AdminRoute.identities + "/" + (before["id"]?.text ?? "")
            return (before, try await client.send(.patch, path: path, body: patch))
        }
        if before["state"] == .string(state) { console.report("The identity was already \(state).") }
        console.write(after, asJSON: arguments.has("json"), format: OperatorText.identity)
    }
}
