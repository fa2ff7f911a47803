/// Says which version this is.
struct VersionCommand: Subcommand {
    /// The version of the package.
    static let version = "0.1.0"

    let syntax = Syntax(
        name: "version",
        summary: "say which version this is",
        examples: [("version", "The version")]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        console.write("latchkey \(Self.version)")
    }
}
