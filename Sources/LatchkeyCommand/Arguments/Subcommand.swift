/// A subcommand of `latchkey`.
protocol Subcommand: Sendable {
    /// The name, arguments and description.
    var syntax: Syntax { get }

    /// Runs the subcommand.
    ///
    /// - Parameters:
    ///   - arguments: The parsed arguments.
    ///   - console: The terminal, for output and prompts.
    /// - Throws: ``CommandFailure``, whose exit code the command returns.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure)
}
