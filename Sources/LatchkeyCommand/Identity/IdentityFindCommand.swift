import LatchkeyServerCore

/// The operator's command that shows an identity, under the names `find` and `get`.
struct IdentityFindCommand: Subcommand {
    let syntax: Syntax

    init(_ word: String) {
        syntax = Syntax(
            name: "identity \(word)",
            summary: word == "get" ? "show an identity" : "show an identity; an alias of get",
            details: [OperatorOptions.detail],
            operands: ["IDENTITY"],
            options: OperatorOptions.all,
            takesSettings: true,
            examples: [
                ("identity \(word) user@example.com", "By login identifier"),
                ("identity \(word) 9a8cbfb3-87bd-4087-b48d-2569b1b43386 --json", "By id"),
            ]
        )
    }

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        let identity = try await OperatorDesk.open(arguments, console) { desk in
            try await desk.identity(name)
        }
        OperatorText.write(identity, arguments, console, OperatorText.identity)
    }
}
