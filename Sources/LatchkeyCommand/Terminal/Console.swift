#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Where a command reads and writes.
struct Console: Sendable {
    /// The variables of the environment.
    let environment: [String: String]

    /// What happens on Ctrl-C and on a request to end.
    let interruption: Interruption

    /// Whether a person sits at the terminal.
    var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Writes a result.
    func write(_ line: String) {
        Self.write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes a remark, which is no result.
    func remark(_ line: String) {
        Self.write(line + "\n", to: STDERR_FILENO)
    }

    /// Shows that something is under way, and takes it away again; on terminals only.
    func showProgress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        // Back to the line's beginning, and away with what stood there.
        Self.write("\r\u{1B}[K" + text, to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }

    private static var systemWrite: (Int32, UnsafeRawPointer?, Int) -> Int {
        #if canImport(Darwin)
        Darwin.write
        #else
        Glibc.write
        #endif
    }
}
