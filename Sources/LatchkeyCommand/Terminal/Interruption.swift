import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A handler for SIGINT and SIGTERM, whose first signal requests a graceful shutdown, while the second ends
/// the process at once.
///
/// The signals are blocked in all threads and awaited on the main thread, so the handlers need not be
/// async-signal-safe.
final class Interruption: Sendable {
    private struct State {
        /// The registered clean-ups, keyed by registration number.
        var cleanups: [Int: @Sendable () -> Void] = [:]
        var next = 0
        /// The closure for a graceful shutdown, which a signal removes so that the next signal ends the
        /// process.
        var ending: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Blocks the signals for ``receiveSignals()``.
    ///
    /// The initializer must be called before any other thread is started.
    ///
    /// SIGPIPE is ignored as well, so that writing to a closed pipe fails with an error instead of ending the
    /// process.
    init() {
        signal(SIGPIPE, SIG_IGN)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Receives signals on the calling thread, and never returns.
    func receiveSignals() -> Never {
        while true {
            var awaited = sigset_t()
            sigemptyset(&awaited)
            sigaddset(&awaited, SIGINT)
            sigaddset(&awaited, SIGTERM)
            var number: Int32 = 0
            if sigwait(&awaited, &number) == 0 { receive() }
        }
    }

    /// Sets the closure to call when the next signal arrives, which would otherwise end the process.
    ///
    /// The closure is called at most once, on the thread that receives signals. It replaces any closure that
    /// was set before.
    func onEnd(_ ending: @escaping @Sendable () -> Void) {
        state.withLock { $0.ending = ending }
    }

    /// Makes the next signal request a graceful shutdown instead of ending the process.
    ///
    /// - Returns: A deferred value that is set when the signal arrives.
    func request() -> Deferred<Void> {
        let request = Deferred<Void>()
        onEnd { request.set(()) }
        return request
    }

    /// Registers a closure, for the lifetime of the process, that is called if a signal ends the process.
    ///
    /// The closure is not called when the process exits normally. Closures run in no particular order on the
    /// thread that receives signals, while other threads continue.
    func onInterruption(_ cleanup: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.next += 1
            state.cleanups[state.next] = cleanup
        }
    }

    /// Runs a closure and then a clean-up, which also runs if a signal ends the process in the meantime.
    ///
    /// For example, this restores the echo of a terminal.
    ///
    /// - Parameters:
    ///   - cleanup: The clean-up, which must have no effect when it is repeated. A signal at the end of the
    ///     closure calls it a second time, possibly on another thread while the first call is still running.
    ///   - body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, after the clean-up.
    func withCleanup<Outcome>(_ cleanup: @escaping @Sendable () -> Void, perform body: () throws -> Outcome)
        rethrows
        -> Outcome
    {
        let key = state.withLock { state in
            state.next += 1
            state.cleanups[state.next] = cleanup
            return state.next
        }
        defer {
            // The clean-up is removed last, so that a signal cannot end the process before it has run.
            cleanup()
            state.withLock { _ = $0.cleanups.removeValue(forKey: key) }
        }
        return try body()
    }

    /// Calls the closure for a graceful shutdown if one is set, and otherwise cleans up and ends the process.
    ///
    /// The process ends with ``ExitCode/interrupted``, without running `atexit` handlers.
    private func receive() {
        let (ending, cleanups) = state.withLock { state in
            defer { state.ending = nil }
            return (state.ending, Array(state.cleanups.values))
        }
        if let ending { return ending() }
        for cleanup in cleanups { cleanup() }
        _exit(ExitCode.interrupted.rawValue)
    }
}
