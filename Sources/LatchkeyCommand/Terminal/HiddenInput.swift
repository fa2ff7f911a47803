#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A terminal that does not show what is typed, for as long as a closure runs.
struct HiddenInput: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Runs a closure without echo; the echo is back when it ends, and when the process is interrupted meanwhile.
    func whileHidden<Outcome>(_ interruption: Interruption, _ body: () throws -> Outcome) rethrows -> Outcome
    {
        var usual = termios()
        guard tcgetattr(descriptor, &usual) == 0 else { return try body() }
        var hidden = usual
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // The line end is shown, so that what follows stands on a line of its own.
        hidden.c_lflag |= tcflag_t(ECHONL)
        let restored = usual
        return try interruption.guarding {
            var mode = restored
            tcsetattr(descriptor, TCSAFLUSH, &mode)
        } _: {
            tcsetattr(descriptor, TCSAFLUSH, &hidden)
            return try body()
        }
    }
}
