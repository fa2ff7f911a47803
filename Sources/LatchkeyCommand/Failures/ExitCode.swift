/// The exit codes of the command.
enum ExitCode: Int32, CaseIterable, Sendable {
    case ok = 0
    case failed = 1
    case usage = 2
    case refused = 3
    case network = 4
    case storage = 5
    case interrupted = 130

    /// A description for help.
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
