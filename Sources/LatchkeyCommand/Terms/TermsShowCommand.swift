import LatchkeyWire

/// Shows a published version of a document.
///
/// This is a command for operators.
struct TermsShowCommand: Subcommand {
    let syntax = Syntax(
        name: "terms show",
        summary: "show a published version, its texts and their hashes",
        details: [
            OperatorOptions.detail,
            "The hash is the SHA-256 hash of the text's bytes, in base64url.",
        ],
        operands: ["KEY"],
        options: [
            Option("version", value: "NUMBER", help: "The version. Default: the newest one."),
            Option("language", value: "TAG", help: "Only the text in this language. Default: all texts."),
            Option("text", help: "Print the words of the texts, too."),
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("terms show shop-terms", "The newest version"),
            ("terms show shop-terms --version 3 --language nb --text", "One text"),
        ]
    )

    /// Prints the texts of a version.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if the document, version or language isn't
    ///   published.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let texts = try await AdminClient.withClient(for: arguments, console: console) { client in
            try await Self.texts(arguments, from: client)
        }
        for text in texts {
            console.write(text, asJSON: arguments.has("json"), format: TermsText.text)
            guard arguments.has("text"), !arguments.has("json") else { continue }
            console.write("")
            console.write(page: text["text"]?.text ?? "")
        }
    }

    private static func texts(_ arguments: Arguments, from client: AdminClient) async throws -> [JSONValue] {
        let key = arguments.operands[0]
        let documents = try await client.send(.get, path: TermsAdminRoute.documents).array ?? []
        guard let document = documents.first(where: { $0["key"]?.text == key }) else {
            throw CommandFailure(.failed, message: "no document has the key \(key)")
        }
        let versions = document["versions"]?.array ?? []
        let wanted = arguments["version"]
        let version =
            wanted == nil
            ? versions.last : versions.first { $0["number"]?.integer.map(String.init) == wanted }
        guard let version, let number = version["number"]?.integer else {
            throw CommandFailure(
                .failed,
                message: wanted.map { "\(key) has no version \($0)" } ?? "\(key) has no versions"
            )
        }
        let languages = (version["texts"]?.array ?? []).compactMap { $0["language"]?.text }
            .filter { arguments["language"] == nil || $0 == arguments["language"] }
        guard !languages.isEmpty else {
            throw CommandFailure(.failed, message: "\(key) \(number) has no text in this language")
        }
        var texts: [JSONValue] = []
        for language in languages {
            let path = TermsAdminRoute.version(String(number), of: key)
            texts.append(try await client.send(.get, path: path, query: [("language", language)]))
        }
        return texts
    }
}
