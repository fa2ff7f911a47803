/// A command that did not do what it was asked.
struct CommandFailure: Error, Sendable {
    /// What to tell the shell.
    let code: ExitCode

    /// What went wrong; holds no secret.
    let message: String

    /// What to do about it.
    let hint: String?

    init(_ code: ExitCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}
