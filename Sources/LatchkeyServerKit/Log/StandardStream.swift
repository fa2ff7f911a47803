package import LatchkeyModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// One of the process's standard streams for output.
///
/// Only this type writes to standard output and standard error, so everything that the server and the command
/// line print is ``TerminalText``.
package enum StandardStream: Sendable {
    case output, error

    /// Whether the stream is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes the whole text with blocking calls.
    ///
    /// A short text is written with a single call, so that lines from different threads aren't interleaved.
    /// Write errors, such as those caused by a closed pipe, are ignored.
    package func write(_ text: TerminalText) {
        var rest = Array(text.text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }

    private var descriptor: Int32 {
        switch self {
        case .output: STDOUT_FILENO
        case .error: STDERR_FILENO
        }
    }
}

/// The system's `write(2)` function, which is shadowed by our own `write` methods.
private var systemWrite: (Int32, UnsafeRawPointer?, Int) -> Int {
    #if canImport(Darwin)
    Darwin.write
    #else
    Glibc.write
    #endif
}
