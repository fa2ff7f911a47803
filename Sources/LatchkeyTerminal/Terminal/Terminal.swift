/// A terminal on which the user fills in forms.
///
/// `LatchkeyLinux` implements this protocol for the terminal that the process runs in, and tests use their
/// own implementations.
public protocol Terminal: Sendable {
    /// Writes a line.
    ///
    /// - Parameter line: The text without a line ending. Control characters have already been removed.
    func write(_ line: String)

    /// Shows that work is in progress. This replaces the previous progress message.
    ///
    /// - Parameter activity: A short description of the work, or `nil` to remove the message.
    func showProgress(_ activity: String?)

    /// Reads a line from the user.
    ///
    /// - Parameters:
    ///   - prompt: The text before the cursor, including a trailing space.
    ///   - isHidden: Whether the input is secret and must not be shown while the user types.
    /// - Returns: The line without its line ending.
    /// - Throws: ``TerminalInputError``. The error is also `interrupted` if the task is cancelled.
    func readLine(_ prompt: String, isHidden: Bool) async throws(TerminalInputError) -> String

    /// Hides everything that the user types until an operation has ended, also between its lines.
    ///
    /// Use this method for several hidden lines in a row, because a user or a password manager may type the
    /// next line before its prompt is shown. By default, this method only performs the operation.
    ///
    /// - Parameter operation: An operation that reads lines.
    /// - Returns: The operation's result.
    /// - Throws: The error thrown by the operation.
    func hidingInput<Outcome: Sendable, Failure: Error>(
        during operation: () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome
}

extension Terminal {
    /// Performs the operation.
    public func hidingInput<Outcome: Sendable, Failure: Error>(
        during operation: () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        try await operation()
    }
}

/// The reason a line could not be read from a terminal.
public enum TerminalInputError: Error, Hashable, Sendable {
    /// The user pressed Control-C, or the reading task was cancelled.
    case interrupted
    /// The input has ended. On a terminal, this means that the user pressed Control-D.
    case ended
}
