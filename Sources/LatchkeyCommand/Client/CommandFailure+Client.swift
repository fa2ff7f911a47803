import Latchkey

extension CommandFailure {
    /// Creates a failure from a client error, with an exit code and a hint.
    ///
    /// The kind is `refused` if the server rejected the request, but not if it responded with a server error.
    /// Messages about individual fields are appended to the general message, each on its own line, unless
    /// they are identical to it.
    init(_ error: LatchkeyError) {
        let fields = error.fields.map { "\n\($0.name): \($0.message)" }.joined()
        let known = fields.isEmpty || error.fields.contains { $0.message == error.message }
        self.init(
            error.cause is ServerRefusal && error.code != .serverFailed
                ? .refused : Self.exitCode(of: error.code),
            message: known ? error.message : error.message + fields,
            hint: Self.hint(for: error)
        )
    }

    /// Maps an error code to an exit code, which is `refused` for all codes that are not listed.
    private static func exitCode(of code: LatchkeyError.Code) -> ExitCode {
        switch code {
        case .invalidInput, .phoneInvalid: .usage
        case .unreachable, .timedOut, .untrusted: .network
        case .storageUnavailable, .storageFailed, .deviceKeyFailed: .storage
        case .serverFailed, .invalidAnswer: .failed
        case .cancelled: .interrupted
        default: .refused
        }
    }

    /// Returns advice for an error; `nil` if there is none.
    ///
    /// If the error states how long to wait before a retry, the hint contains this time, rounded up to
    /// seconds, instead of advice for the error code.
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
