import LatchkeyWire

/// Says which version this is.
struct VersionCommand: Subcommand {
    let syntax = Syntax(
        name: "version",
        summary: "say which version this is",
        examples: [("version", "The version")]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        console.write("latchkey \(Release.version)")
    }
}
