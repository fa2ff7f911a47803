#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Terminal input without echo, for the duration of a closure.
struct HiddenInput: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Runs a closure without echo; the echo is restored afterwards, also if the process is interrupted.
    func withoutEcho<Outcome>(interruption: Interruption, body: () throws -> Outcome) rethrows -> Outcome {
        var usual = termios()
        guard tcgetattr(descriptor, &usual) == 0 else { return try body() }
        var hidden = usual
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // Line ends are echoed, so that further output begins on a new line.
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
