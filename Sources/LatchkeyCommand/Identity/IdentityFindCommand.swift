import LatchkeyServerCore

/// Shows an identity, as an operator.
struct IdentityFindCommand: Subcommand {
    let syntax = Syntax(
        name: "identity find",
        summary: "show an identity of the server's data",
        operands: ["IDENTITY"],
        options: [Option("json", nil, "Print JSON.")] + ConfigurationOptions.all,
        examples: [
            ("identity find user@example.com", "By what it logs in with"),
            ("identity find 9a8cbfb3-87bd-4087-b48d-2569b1b43386 --json", "By its id"),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        let identity = try await IdentityDesk.open(arguments, console) { desk in
            desk.json(try await IdentityDesk.find(name, desk))
        }
        IdentityDesk.write(identity, arguments, console)
    }
}
