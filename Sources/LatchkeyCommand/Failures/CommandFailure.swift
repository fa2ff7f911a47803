/// The error of a command.
struct CommandFailure: Error, Sendable {
    /// The exit code.
    let code: ExitCode

    /// The error message; contains no secret.
    let message: String

    /// Advice for the user; `nil` if there is none.
    let hint: String?

    init(_ code: ExitCode, message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}
