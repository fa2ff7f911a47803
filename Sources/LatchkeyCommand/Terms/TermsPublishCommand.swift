import LatchkeyWire

/// Publishes the documents in a folder.
///
/// This is a command for operators.
struct TermsPublishCommand: Subcommand {
    let syntax = Syntax(
        name: "terms publish",
        summary: "publish new documents, versions and translations",
        details: [
            OperatorOptions.detail, TermsOperand.detail,
            "What is published never changes. To correct a mistake, publish another version. On a terminal, the command asks for confirmation if users will be asked.",
        ],
        operands: ["FOLDER"],
        options: [
            Option("yes", help: "Do not ask for confirmation."),
            Option("dry-run", help: "Only show what would change, like terms check."),
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("terms publish terms", "Ask for confirmation"), ("terms publish terms --yes", "In a script"),
        ]
    )

    /// Prints the changes, asks for confirmation if accounts will be asked, and then publishes.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if there are mistakes or the operator doesn't
    ///   confirm, or `usage` if there is no terminal and `--yes` is missing.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let folder = try TermsOperand.folder(arguments.operands[0])
        let publication = try await AdminClient.withClient(for: arguments, console: console) { client in
            let documents = try await TermsOperand.documents(of: folder, with: client)
            let plan = try await client.publish(documents, isDryRun: true)
            console.report(lines: TermsText.warnings(plan))
            guard !arguments.has("dry-run") else { return plan }
            let asks = (plan["changes"]?.array ?? []).contains { $0["accounts"] != nil }
            if asks, !arguments.has("yes") {
                console.report(lines: TermsText.changes(plan))
                let answer = try await console.ask("Publish permanently? Type yes:", flag: "--yes")
                guard answer == "yes" else {
                    throw CommandFailure(.failed, message: "the documents were not published")
                }
            }
            return try await client.publish(documents, isDryRun: false)
        }
        console.write(publication, asJSON: arguments.has("json"), format: TermsText.changes)
    }
}
