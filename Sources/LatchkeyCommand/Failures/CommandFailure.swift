/// The error of a command, which ``Command`` prints before the process exits.
struct CommandFailure: Error, Sendable {
    /// The exit code, which is also the kind of the failure.
    let code: ExitCode

    /// The error message, which contains no secret.
    ///
    /// The message may have several lines, such as one for each invalid field.
    let message: String

    /// Advice for the user on one line; `nil` if there is none.
    let hint: String?

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - code: The exit code.
    ///   - message: The error message, which must not contain a secret.
    ///   - hint: Advice for the user; `nil` if there is none.
    init(_ code: ExitCode, message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}
