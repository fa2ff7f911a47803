/// A terminal on which a user fills in forms.
///
/// `LatchkeyLinux` provides the terminal of the process; tests provide their own.
public protocol Terminal: Sendable {
    /// Writes a line.
    ///
    /// - Parameter line: The text without a line ending. Control characters have already been removed.
    func write(_ line: String)

    /// Shows that work is in progress, in place of the previous such text.
    ///
    /// - Parameter activity: A short description of the work; `nil` removes the text.
    func showProgress(_ activity: String?)

    /// Reads a line from the user.
    ///
    /// - Parameters:
    ///   - prompt: The text before the cursor, including its last space.
    ///   - isHidden: Whether the input is secret and must not be shown while the user types.
    /// - Returns: The line without its line ending.
    /// - Throws: ``TerminalInputError``; `interrupted` also if the task is cancelled.
    func readLine(_ prompt: String, isHidden: Bool) async throws(TerminalInputError) -> String
}

/// The reason why a terminal has no line for a prompt.
public enum TerminalInputError: Error, Hashable, Sendable {
    /// The user pressed Control-C, or the task that reads was cancelled.
    case interrupted
    /// The input has ended; on a terminal, the user pressed Control-D.
    case ended
}
