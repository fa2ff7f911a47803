import LatchkeyWire

/// The command that prints the version.
struct VersionCommand: Subcommand {
    let syntax = Syntax(
        name: "version",
        summary: "show the version",
        examples: [("version", "Show the version")]
    )

    /// Prints `latchkey` and ``Release/version`` on one line, as the flag `--version` does.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        console.write("latchkey \(Release.version)")
    }
}
