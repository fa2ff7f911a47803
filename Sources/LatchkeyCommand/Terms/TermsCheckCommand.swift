import LatchkeyWire

/// Checks a folder of documents, and shows what publishing it would change.
///
/// This is a command for operators.
struct TermsCheckCommand: Subcommand {
    let syntax = Syntax(
        name: "terms check",
        summary: "check documents in a folder and show what publishing would change",
        details: [OperatorOptions.detail, TermsOperand.detail],
        operands: ["FOLDER"],
        options: OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("terms check terms", "Check a folder"),
            ("terms check terms --json", "Print the changes as JSON"),
        ]
    )

    /// Prints the changes, and the warnings to standard error.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if there are mistakes, each on its own line.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let folder = try TermsOperand.folder(arguments.operands[0])
        let plan = try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.publish(
                try await TermsOperand.documents(of: folder, with: client),
                isDryRun: true
            )
        }
        console.report(lines: TermsText.warnings(plan))
        console.write(plan, asJSON: arguments.has("json"), format: TermsText.changes)
    }
}
