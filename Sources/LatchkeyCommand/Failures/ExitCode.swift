/// The exit codes of the command.
///
/// Scripts depend on the exit codes, so don't change the meaning of an existing code.
enum ExitCode: Int32, CaseIterable, Sendable {
    /// The command succeeded.
    case ok = 0
    /// The command failed for any other reason. For example, the command found a problem that it was asked to
    /// look for, something doesn't exist, or the server reported an error.
    case failed = 1
    /// An argument, the input or the configuration is invalid, or a value is missing and there is no terminal
    /// to ask for it.
    case usage = 2
    /// The server rejected the request, the user isn't logged in, or some lines of an import were rejected.
    case refused = 3
    /// There was no response, the server's certificate isn't trusted, or the server can't listen on its
    /// address.
    case network = 4
    /// A file, the data folder, the database, the session store or the device key can't be used.
    case storage = 5
    /// Control-C, SIGINT or SIGTERM ended the command, or the operation was cancelled. The value is 128 + 2,
    /// because that is how shells report SIGINT.
    case interrupted = 130

    /// A short description for the help text.
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
