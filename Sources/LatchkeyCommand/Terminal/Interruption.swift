import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Handles SIGINT and SIGTERM.
///
/// The first signal requests a graceful shutdown, and the second one ends the process immediately.
///
/// The signals are blocked on all threads and received on the main thread with `sigwait`, so the handlers
/// don't have to be async-signal-safe.
final class Interruption: Sendable {
    private struct State {
        /// The registered clean-up closures, keyed by registration number.
        var cleanups: [Int: @Sendable () -> Void] = [:]
        var next = 0
        /// Called on the next signal to shut down gracefully.
        ///
        /// This closure is cleared when a signal is received, so that another signal ends the process.
        var ending: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Blocks the signals so that ``receiveSignals()`` can receive them.
    ///
    /// Call this initializer before starting any other threads.
    ///
    /// The initializer also ignores SIGPIPE, so that writing to a closed pipe fails with an error rather than
    /// ending the process.
    init() {
        signal(SIGPIPE, SIG_IGN)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Receives signals on the current thread.
    ///
    /// Never returns.
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
    /// The closure isn't called when the process exits normally. Closures are called in no particular order
    /// on the thread that receives signals, while other threads are still running.
    func onInterruption(_ cleanup: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.next += 1
            state.cleanups[state.next] = cleanup
        }
    }

    /// Runs a closure followed by a clean-up.
    ///
    /// The clean-up also runs if a signal ends the process while the closure is running. For example, use
    /// this method to turn a terminal's echo back on.
    ///
    /// - Parameters:
    ///   - cleanup: The clean-up, which must be safe to call repeatedly: if a signal is received just as the
    ///     closure ends, the clean-up is called twice, possibly on two threads at the same time.
    ///   - body: The closure to run.
    /// - Returns: The closure's return value.
    /// - Throws: The error thrown by the closure, after the clean-up has run.
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
            // Run the clean-up before unregistering it. Otherwise, a signal could end the process in between,
            // without any clean-up.
            cleanup()
            state.withLock { _ = $0.cleanups.removeValue(forKey: key) }
        }
        return try body()
    }

    /// Handles a signal by starting a graceful shutdown or by ending the process.
    ///
    /// If there is no closure for a graceful shutdown, calls all clean-up closures and ends the process.
    ///
    /// The process exits with ``ExitCode/interrupted`` and doesn't run any `atexit` handlers.
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
