/// An error that causes a command to fail.
///
/// ``Command`` prints the error before the process exits.
struct CommandFailure: Error, Sendable {
    /// The exit code, which also indicates the kind of failure.
    let code: ExitCode

    /// The error message.
    ///
    /// The message must not contain any secrets.
    ///
    /// A message may consist of several lines, for example one per invalid field.
    let message: String

    /// A single line of advice for the user, or `nil` if there is none.
    let hint: String?

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - code: The exit code.
    ///   - message: The error message, which must not contain any secrets.
    ///   - hint: A single line of advice for the user, or `nil` if there is none.
    init(_ code: ExitCode, message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}
