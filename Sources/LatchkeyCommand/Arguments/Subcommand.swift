/// A subcommand of `latchkey`.
///
/// ``Command`` parses the arguments, handles `--help` and prints errors, so a subcommand only needs to print
/// its result.
protocol Subcommand: Sendable {
    /// The name, arguments and description, used to parse the command line and to generate the help page.
    var syntax: Syntax { get }

    /// Runs the subcommand.
    ///
    /// - Parameters:
    ///   - arguments: The parsed arguments. The flags and the number of operands have already been checked
    ///     against ``syntax``.
    ///   - console: The console for output and prompts.
    /// - Throws: ``CommandFailure``, which determines the exit code of the process. If a failure with the
    ///   code `usage` has no hint, a hint that refers to the help page is added.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure)
}
