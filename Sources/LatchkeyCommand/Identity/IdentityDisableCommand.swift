import LatchkeyServerCore

/// Closes an account, as an operator.
struct IdentityDisableCommand: Subcommand {
    let syntax = Syntax(
        name: "identity disable",
        summary: "close an account: no login, and its sessions are over",
        operands: ["IDENTITY"],
        options: [Option("json", nil, "Print JSON.")] + ConfigurationOptions.all,
        examples: [("identity disable user@example.com", "By what it logs in with, or by its id")]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        let (wasOpen, identity) = try await IdentityDesk.open(arguments, console) { desk in
            let wasOpen = try await desk.disable(try await IdentityDesk.find(name, desk))
            return (wasOpen, desk.json(try await IdentityDesk.find(name, desk)))
        }
        if !wasOpen { console.remark("It was closed before.") }
        IdentityDesk.write(identity, arguments, console)
    }
}
