/// Shows an identity.
///
/// This is a command for operators, available as both `get` and `find`.
struct IdentityFindCommand: Subcommand {
    let syntax: Syntax

    /// Creates the command `identity get`, or its alias `identity find`.
    ///
    /// - Parameter word: The second word of the command's name, which is either `get` or `find`.
    init(_ word: String) {
        syntax = Syntax(
            name: "identity \(word)",
            summary: word == "get" ? "show an identity" : "show an identity (alias of get)",
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

    /// Looks up an identity by its ID or a login identifier and prints it.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if the identity doesn't exist.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        let identity = try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.identity(named: name)
        }
        console.write(identity, asJSON: arguments.has("json"), format: OperatorText.identity)
    }
}
