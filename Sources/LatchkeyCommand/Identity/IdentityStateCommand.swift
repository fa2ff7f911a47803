import LatchkeyServerCore
import LatchkeyWire

/// The operator's command that disables or enables an account.
struct IdentityStateCommand: Subcommand {
    let syntax: Syntax
    /// The state to set: `active` or `inactive`.
    private let state: String

    static let disable = IdentityStateCommand(
        "disable",
        "disable an account: prevent logins and revoke its sessions",
        "inactive"
    )
    static let enable = IdentityStateCommand(
        "enable",
        "enable a disabled account; its revoked sessions stay revoked",
        "active"
    )

    private init(_ word: String, _ summary: String, _ state: String) {
        self.state = state
        syntax = Syntax(
            name: "identity \(word)",
            summary: summary,
            details: [OperatorOptions.detail],
            operands: ["IDENTITY"],
            options: OperatorOptions.all,
            takesSettings: true,
            examples: [("identity \(word) user@example.com", "By login identifier or id")]
        )
    }

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        let patch = JSONValue.array([
            .object(["op": .string("replace"), "path": .string("/state"), "value": .string(state)])
        ])
        let (before, after) = try await OperatorDesk.open(arguments, console) { desk in
            let before = try await desk.identity(name)
            let path = AdminRoute.identities + "/" + (before["id"]?.text ?? "")
            return (before, try await desk.send(.patch, path, body: patch))
        }
        if before["state"] == .string(state) { console.remark("The identity was already \(state).") }
        OperatorText.write(after, arguments, console, OperatorText.identity)
    }
}
