#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The standard streams and the environment of a command.
///
/// Write errors, such as those caused by a closed pipe, are ignored. If several tasks write at the same time,
/// their output may be interleaved.
struct Console: Sendable {
    /// The environment variables of the process when it was started.
    let environment: [String: String]

    /// The handler for SIGINT and SIGTERM.
    let interruption: Interruption

    /// Whether standard input and standard error are a terminal, so that the user can be prompted.
    ///
    /// Standard output may be redirected.
    var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Writes a line of the result to standard output.
    func write(_ line: String) {
        Self.write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes a message that is not part of the result to standard error.
    func report(_ line: String) {
        Self.write(line + "\n", to: STDERR_FILENO)
    }

    /// Shows a progress message in place of the previous one, or removes it if the string is empty.
    ///
    /// The call has no effect if standard error is not a terminal.
    func showProgress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        // The escape sequence moves the cursor to the beginning of the line and clears the line.
        Self.write("\r\u{1B}[K" + text, to: STDERR_FILENO)
    }

    /// Writes the whole string with blocking calls, and stops at the first error other than `EINTR`.
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

    /// The function `write(2)`, which is shadowed by the methods of the same name.
    private static var systemWrite: (Int32, UnsafeRawPointer?, Int) -> Int {
        #if canImport(Darwin)
        Darwin.write
        #else
        Glibc.write
        #endif
    }
}
