/// The exit codes of the command.
///
/// Scripts depend on the values, so the meaning of an existing value must not change.
enum ExitCode: Int32, CaseIterable, Sendable {
    /// The command succeeded.
    case ok = 0
    /// Any other failure, such as a problem that the command was asked to find, an object that does not
    /// exist, or an error of the server.
    case failed = 1
    /// An argument, an input or the configuration is invalid, or there is no terminal to prompt for a missing
    /// value.
    case usage = 2
    /// The server rejected the request, no user is logged in, or an import rejected some lines.
    case refused = 3
    /// There was no response, the server's certificate is not trusted, or a listener cannot be opened.
    case network = 4
    /// A file, the data folder, the database, the session store or the device key cannot be used.
    case storage = 5
    /// SIGINT or SIGTERM ended the process, or the operation was cancelled. The value is 128 + 2, as shells
    /// report SIGINT.
    case interrupted = 130

    /// The meaning of the exit code, as listed in help.
    var meaning: String {
        switch self {
        case .ok: "done"
        case .failed: "the command failed; see the message"
        case .usage: "invalid flags or configuration"
        case .refused:
            "the server rejected the request: wrong password or code, not logged in, too many attempts"
        case .network: "the server cannot be reached, or the listen address is not available"
        case .storage: "a file, the database or the session store cannot be used"
        case .interrupted: "interrupted"
        }
    }
}
