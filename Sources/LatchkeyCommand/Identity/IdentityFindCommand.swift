/// The operator's command that shows an identity, under the names `find` and `get`.
struct IdentityFindCommand: Subcommand {
    let syntax: Syntax

    /// Creates the command under one of its names.
    ///
    /// - Parameter word: The second word of the name, which is `get`, or `find` for the alias.
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
                ("identity \(word) 9a8cbfb3-87bd-4087-b48d-2569b1b43386 --json", "By ID"),
            ]
        )
    }

    /// Looks up the identity by its ID or a login identifier, and prints it.
    ///
    /// - Throws: ``CommandFailure`` of the kind `failed` if there is no such identity.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        let identity = try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.identity(named: name)
        }
        console.write(identity, asJSON: arguments.has("json"), format: OperatorText.identity)
    }
}
