import LatchkeyAdmin
import LatchkeyWire

/// Disables or enables an account.
///
/// This is a command for operators.
struct IdentityStateCommand: Subcommand {
    let syntax: Syntax
    /// The state to set, either `active` or `inactive`.
    private let state: String

    /// Deactivates an account, revokes its sessions and invalidates its unused codes.
    static let disable = IdentityStateCommand(
        word: "disable",
        summary: "disable an account: prevent logins and revoke its sessions",
        state: "inactive"
    )
    /// Activates an account.
    ///
    /// The user has to log in again.
    static let enable = IdentityStateCommand(
        word: "enable",
        summary: "enable a disabled account; its revoked sessions stay revoked",
        state: "active"
    )

    /// Creates a command that sets the given state.
    ///
    /// `word` is the second word of the command name.
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
    /// If the identity already had this state, a message is printed to standard error.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if the identity doesn't exist.
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
