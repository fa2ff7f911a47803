import Latchkey
import LatchkeyModel

extension CommandFailure {
    /// Creates a failure with an exit code and a hint for a client error.
    ///
    /// The code is `refused` if the server rejected the request, unless it returned a server error. Messages
    /// for individual form fields are added on separate lines, unless one of them is the same as the general
    /// message.
    init(_ error: LatchkeyError) {
        // Line breaks separate the lines of the message, so there mustn't be any in the server's texts.
        let message = error.message.displayable
        let fields = error.fields.map { "\n\($0.name.displayable): \($0.message.displayable)" }.joined()
        let known = fields.isEmpty || error.fields.contains { $0.message == error.message }
        self.init(
            error.cause is ServerRefusal && error.code != .serverFailed
                ? .refused : Self.exitCode(of: error.code),
            message: known ? message : message + fields,
            hint: Self.hint(for: error)
        )
    }

    /// Returns the exit code for a client error.
    ///
    /// The default is `refused`.
    private static func exitCode(of code: LatchkeyError.Code) -> ExitCode {
        switch code {
        case .invalidInput, .phoneInvalid: .usage
        case .unreachable, .timedOut, .untrusted: .network
        case .storageUnavailable, .storageFailed, .deviceKeyFailed: .storage
        case .serverFailed, .invalidResponse: .failed
        case .cancelled: .interrupted
        default: .refused
        }
    }

    /// Returns a hint for an error, or `nil` if there isn't one.
    ///
    /// If the error includes a retry delay, the hint says when to try again, rounded up to whole seconds.
    /// If there is no retry delay, the hint depends on the error code.
    private static func hint(for error: LatchkeyError) -> String? {
        if case .after(let wait) = error.retry {
            return "try again in \(wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)) s"
        }
        return switch error.code {
        case .signedOut, .sessionEnded: "log in with: latchkey login"
        case .accountExists, .accountCreated: "log in with: latchkey login"
        case .unreachable:
            "is the server running? set its URL with --server, or start one with latchkey serve"
        case .timedOut: "the server did not respond in time; try again"
        case .untrusted: "this system does not trust the server's certificate"
        case .codeExpired, .codeUsed, .codeAttemptsExhausted, .flowExpired, .flowUnknown:
            "start again with: latchkey signup"
        case .storageUnavailable, .storageFailed: "use --data FOLDER to store the session elsewhere"
        default: nil
        }
    }
}
