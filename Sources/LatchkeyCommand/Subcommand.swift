/// One of the things that the command can do.
protocol Subcommand: Sendable {
    /// What it is called, takes and does.
    var syntax: Syntax { get }

    /// Does it.
    ///
    /// - Parameters:
    ///   - arguments: What it was asked.
    ///   - console: Where to write and ask.
    /// - Throws: ``CommandFailure``.
    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure)
}
