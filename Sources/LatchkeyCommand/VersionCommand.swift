import LatchkeyWire

/// Prints the version of this program.
struct VersionCommand: Subcommand {
    let syntax = Syntax(
        name: "version",
        summary: "show the version",
        examples: [("version", "Show the version")]
    )

    /// Prints `latchkey` followed by ``Release/version``.
    ///
    /// The `--version` flag prints the same text.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        console.write("latchkey \(Release.version)")
    }
}
