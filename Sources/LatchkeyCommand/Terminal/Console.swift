#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The standard streams and the environment that a command uses.
///
/// Write errors, such as those caused by a closed pipe, are ignored. If several tasks write at the same time,
/// their output may be interleaved.
struct Console: Sendable {
    /// The environment variables at the time the process was started.
    let environment: [String: String]

    /// Handles SIGINT and SIGTERM.
    let interruption: Interruption

    /// Whether the user can be prompted, that is, whether both standard input and standard error are a
    /// terminal.
    ///
    /// Standard output may be redirected.
    var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Writes a line of the command's result to standard output.
    func write(_ line: String) {
        Self.write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes a message that isn't part of the command's result to standard error.
    func report(_ line: String) {
        Self.write(line + "\n", to: STDERR_FILENO)
    }

    /// Replaces the progress message.
    ///
    /// If the text is empty, the progress message is removed.
    ///
    /// If standard error isn't a terminal, this method has no effect.
    func showProgress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        // Move the cursor to the beginning of the line and clear the line.
        Self.write("\r\u{1B}[K" + text, to: STDERR_FILENO)
    }

    /// Writes the whole string with blocking calls.
    ///
    /// Stops at the first error other than `EINTR`.
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

    /// The system's `write(2)` function, which is shadowed by our own `write` methods.
    private static var systemWrite: (Int32, UnsafeRawPointer?, Int) -> Int {
        #if canImport(Darwin)
        Darwin.write
        #else
        Glibc.write
        #endif
    }
}
