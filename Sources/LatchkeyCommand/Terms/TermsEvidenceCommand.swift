import LatchkeyModel
import LatchkeyWire

/// Exports the answers of an account, each with a signature of the server.
///
/// This is a command for operators.
struct TermsEvidenceCommand: Subcommand {
    let syntax = Syntax(
        name: "terms evidence",
        summary: "export the answers of an account as signed JSON lines",
        details: [
            OperatorOptions.detail,
            "Erased accounts can be looked up by ID. Each line has the members evidence and jws, a signature (RFC 7515) whose payload is the evidence. The keys are rotated, so store the server's key set (/.well-known/jwks.json) along with the file.",
        ],
        options: [
            Option("account", value: "IDENTITY", help: "The ID or a login identifier of the account.")
        ] + OperatorOptions.all.filter { $0.name != "json" },
        takesSettings: true,
        examples: [
            ("terms evidence --account user@example.com > evidence.jsonl", "Export"),
            ("terms evidence --account 9a8cbfb3-87bd-4087-b48d-2569b1b43386", "An erased account"),
        ]
    )

    /// Prints one line for each answer.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if no account is named, or `failed` if a login identifier is
    ///   unknown.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        guard let name = arguments["account"] else {
            throw CommandFailure(.usage, message: "no account was named", hint: "use --account IDENTITY")
        }
        let lines = try await AdminClient.withClient(for: arguments, console: console) { client in
            // Don't look up IDs, because the identity may have been erased.
            let id = Identifier(name) != nil ? name : try await client.identity(named: name)["id"]?.text ?? ""
            return try await client.send(.get, path: TermsAdminRoute.evidence, query: [("identity", id)])
        }
        guard case .array(let lines) = lines else {
            throw CommandFailure(.failed, message: "the server did not return a list")
        }
        for line in lines { console.write(json: line) }
    }
}
