import LatchkeyWire

/// Verifies the signatures of exported answers.
///
/// This is a command for operators and for those who receive a file from them.
struct TermsVerifyCommand: Subcommand {
    let syntax = Syntax(
        name: "terms verify",
        summary: "verify the signatures of exported answers",
        details: [
            "Verifies each line of a file that terms evidence has written, with a stored key set or else with the server's present keys. "
                + OperatorOptions.detail
        ],
        operands: ["FILE"],
        options: [
            Option("keys", value: "FILE", help: "A key set (RFC 7517), such as a stored copy of jwks.json.")
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("terms verify evidence.jsonl", "With the server's keys"),
            ("terms verify evidence.jsonl --keys jwks.json", "With stored keys, without a server"),
        ]
    )

    /// Prints the number of valid lines, and reports each other line with its number.
    ///
    /// - Throws: ``CommandFailure`` with the code `storage` if a file can't be read, or `failed` if a line isn't valid or
    ///   there is none.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let file = try LineReader(arguments.operands[0])
        let verifier = EvidenceVerifier(keys: try await keys(arguments, on: console))
        var (valid, invalid) = (0, 0)
        while let line = try await file.next(atMost: 1).first {
            do throws(EvidenceVerifier.Flaw) {
                try verifier.verify(line)
                valid += 1
            } catch {
                invalid += 1
                console.report("line \(line.number): \(error.description)")
            }
        }
        let summary = JSONValue.object([
            "valid": .integer(Int64(valid)), "invalid": .integer(Int64(invalid)),
        ])
        console.write(summary, asJSON: arguments.has("json")) { _ in ["\(valid) valid, \(invalid) invalid"] }
        guard invalid == 0 else {
            throw CommandFailure(.failed, message: "some lines are invalid; see the line numbers above")
        }
        guard valid > 0 else { throw CommandFailure(.failed, message: "the file contains no evidence") }
    }

    private func keys(_ arguments: Arguments, on console: Console) async throws(CommandFailure) -> JSONValue {
        guard let path = arguments["keys"] else {
            return try await AdminClient.withClient(for: arguments, console: console) { client in
                try await client.send(.get, path: TermsAdminRoute.keys)
            }
        }
        let file = try LineReader(path)
        var text = ""
        while let line = try await file.next(atMost: 1).first {
            guard let words = try? line.text.get() else {
                throw CommandFailure(.failed, message: "\(path) is not UTF-8")
            }
            text += words
        }
        guard let keys = try? JSONCoding.decode(JSONValue.self, from: Array(text.utf8)) else {
            throw CommandFailure(.failed, message: "\(path) is not valid JSON")
        }
        return keys
    }
}
