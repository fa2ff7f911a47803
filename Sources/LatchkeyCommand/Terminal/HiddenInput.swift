#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Terminal input without echo, for the duration of a closure.
struct HiddenInput: Sendable {
    private let descriptor: Int32

    /// Creates a value that controls the echo of a terminal.
    ///
    /// - Parameter descriptor: The file descriptor of the terminal, which must stay open.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Runs a closure without echo, and restores the echo afterwards, even if the process is interrupted.
    ///
    /// Input that was typed ahead is discarded when the echo changes. If the descriptor is not a terminal,
    /// only the closure is run.
    ///
    /// - Parameters:
    ///   - interruption: Restores the echo if a signal ends the process.
    ///   - body: The closure, which blocks while it reads.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    func withoutEcho<Outcome>(interruption: Interruption, body: () throws -> Outcome) rethrows -> Outcome {
        var usual = termios()
        guard tcgetattr(descriptor, &usual) == 0 else { return try body() }
        var hidden = usual
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // Line endings are still echoed, so that further output begins on a new line.
        hidden.c_lflag |= tcflag_t(ECHONL)
        let restored = usual
        return try interruption.withCleanup {
            var mode = restored
            tcsetattr(descriptor, TCSAFLUSH, &mode)
        } perform: {
            tcsetattr(descriptor, TCSAFLUSH, &hidden)
            return try body()
        }
    }
}
