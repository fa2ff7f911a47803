import LatchkeyLinux
import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Handles the signals that end, stop or continue the process.
///
/// The first SIGINT, SIGTERM or SIGHUP requests a graceful shutdown, and the second one ends the process
/// immediately. SIGQUIT always ends the process immediately. Whenever the process ends or is stopped, the
/// settings of the terminal are restored first.
///
/// The signals are blocked on all threads and received on the main thread with `sigwait`, so the handlers
/// don't have to be async-signal-safe.
final class Interruption: Sendable {
    private struct State {
        /// The closures to call before the process ends.
        var cleanups: [@Sendable () -> Void] = []
        /// The terminal whose settings are restored.
        var terminal: SystemTerminal?
        /// Called on the next signal to shut down gracefully.
        ///
        /// This closure is cleared when a signal is received, so that another signal ends the process.
        var ending: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    /// The signals that are handled.
    private let signals: [Int32]

    /// Blocks the signals so that ``receiveSignals()`` can receive them.
    ///
    /// Call this initializer before starting any other threads.
    ///
    /// The initializer also ignores SIGPIPE, so that writing to a closed pipe fails with an error rather than
    /// ending the process.
    init() {
        signal(SIGPIPE, SIG_IGN)
        // A blocked signal is received even if it is ignored, so a command that `nohup` starts must not block
        // SIGHUP.
        signals =
            [SIGINT, SIGTERM]
            + [SIGHUP, SIGQUIT, SIGTSTP, SIGCONT].filter { !Self.isIgnored($0) }
        Self.mask(SIG_BLOCK, signals: signals)
    }

    /// Receives signals on the current thread.
    ///
    /// Never returns.
    func receiveSignals() -> Never {
        while true {
            var awaited = Self.set(of: signals)
            var number: Int32 = 0
            if sigwait(&awaited, &number) == 0 { receive(number) }
        }
    }

    /// Sets a closure that is called when the next signal is received, instead of ending the process.
    ///
    /// The closure is called at most once, on the thread that receives signals. Any closure that was set
    /// previously is replaced.
    func onEnd(_ ending: @escaping @Sendable () -> Void) {
        state.withLock { $0.ending = ending }
    }

    /// Makes the next signal request a graceful shutdown instead of ending the process.
    ///
    /// - Returns: A deferred value that is set when the signal is received.
    func request() -> Deferred<Void> {
        let request = Deferred<Void>()
        onEnd { request.set(()) }
        return request
    }

    /// Registers a closure that is called if a signal ends the process.
    ///
    /// Once it has been registered, a closure can't be removed.
    ///
    /// The closure isn't called when the process exits normally. Closures are called on the thread that
    /// receives signals, while other threads are still running.
    func onInterruption(_ cleanup: @escaping @Sendable () -> Void) {
        state.withLock { $0.cleanups.append(cleanup) }
    }

    /// Sets the terminal whose settings are restored while the process is stopped and before it ends.
    func protect(_ terminal: SystemTerminal) {
        state.withLock { $0.terminal = terminal }
    }

    private func receive(_ number: Int32) {
        switch number {
        case SIGTSTP: stop()
        case SIGCONT: state.withLock(\.terminal)?.resume()
        default: end(number)
        }
    }

    /// Stops the process, as SIGTSTP does by default, and restores the terminal's settings in the meantime.
    ///
    /// If there is no shell that could continue the process, the system doesn't stop it.
    private func stop() {
        let terminal = state.withLock(\.terminal)
        terminal?.restore()
        Self.mask(SIG_UNBLOCK, signals: [SIGTSTP])
        raise(SIGTSTP)
        Self.mask(SIG_BLOCK, signals: [SIGTSTP])
        // The signal that continued the process has been handled.
        var pending = sigset_t()
        sigpending(&pending)
        if signals.contains(SIGCONT), sigismember(&pending, SIGCONT) == 1 {
            var awaited = Self.set(of: [SIGCONT])
            var number: Int32 = 0
            sigwait(&awaited, &number)
        }
        terminal?.resume()
    }

    /// Starts a graceful shutdown, or ends the process.
    ///
    /// If there is no closure for a graceful shutdown, restores the terminal, calls all clean-up closures and
    /// ends the process without running any `atexit` handlers. After SIGINT and SIGTERM, the exit code is
    /// ``ExitCode/interrupted``. The other signals end the process as they do by default.
    private func end(_ number: Int32) {
        let (ending, terminal, cleanups) = state.withLock { state in
            defer { if number != SIGQUIT { state.ending = nil } }
            return (number == SIGQUIT ? nil : state.ending, state.terminal, state.cleanups)
        }
        if let ending { return ending() }
        terminal?.restoreAtEnd()
        for cleanup in cleanups { cleanup() }
        if number == SIGHUP || number == SIGQUIT {
            // Swift's runtime may print a backtrace on SIGQUIT, which takes many seconds.
            signal(number, SIG_DFL)
            raise(number)
            Self.mask(SIG_UNBLOCK, signals: [number])
        }
        _exit(ExitCode.interrupted.rawValue)
    }

    /// Returns whether a signal is ignored, which a process inherits from the one that started it.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
        #else
        let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func mask(_ change: Int32, signals: [Int32]) {
        var set = set(of: signals)
        pthread_sigmask(change, &set, nil)
    }

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        return set
    }
}
