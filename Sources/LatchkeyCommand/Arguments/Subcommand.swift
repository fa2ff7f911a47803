/// A subcommand of `latchkey`.
///
/// ``Command`` parses the arguments, handles `--help` and prints errors, whereas a subcommand prints only its
/// result.
protocol Subcommand: Sendable {
    /// The name, arguments and description, from which the parser and the help page are derived.
    var syntax: Syntax { get }

    /// Runs the subcommand.
    ///
    /// - Parameters:
    ///   - arguments: The parsed arguments, whose flags and number of operands match ``syntax``.
    ///   - console: The console for output and prompts.
    /// - Throws: ``CommandFailure``, whose exit code the command returns. A failure of the kind `usage`
    ///   without a hint gets a reference to the help page as its hint.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure)
}
