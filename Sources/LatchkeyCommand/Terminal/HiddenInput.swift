#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Turns off the echo of a terminal while a closure runs.
struct HiddenInput: Sendable {
    private let descriptor: Int32

    /// Creates a value that controls the echo of a terminal.
    ///
    /// - Parameter descriptor: The terminal's file descriptor, which must remain open.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Runs a closure with echo turned off.
    ///
    /// Echo is turned back on afterwards, even if the process is interrupted.
    ///
    /// Characters that were typed before echo is turned on or off are discarded. If the descriptor isn't a
    /// terminal, this method just runs the closure.
    ///
    /// - Parameters:
    ///   - interruption: Turns echo back on if a signal ends the process.
    ///   - body: A closure that reads the input and blocks until it is available.
    /// - Returns: The closure's return value.
    /// - Throws: The error thrown by the closure.
    func withoutEcho<Outcome>(interruption: Interruption, body: () throws -> Outcome) rethrows -> Outcome {
        var usual = termios()
        guard tcgetattr(descriptor, &usual) == 0 else { return try body() }
        var hidden = usual
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // Keep echoing line endings, so that any further output starts on a new line.
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
