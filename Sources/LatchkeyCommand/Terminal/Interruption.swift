import LatchkeyModel
import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Turns SIGINT and SIGTERM into calls: the first to whoever wants to end in order, the second ends at once.
///
/// The signals are blocked in all threads and awaited on the main one, so that what happens then is ordinary code.
final class Interruption: Sendable {
    private struct State {
        var cleanups: [Int: @Sendable () -> Void] = [:]
        var next = 0
        var ending: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Holds signals back for ``receiveSignals()``; call it before any other thread is started.
    init() {
        signal(SIGPIPE, SIG_IGN)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Receives signals on the calling thread, for ever.
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

    /// Sets what the next signal calls instead of ending the process.
    func onEnd(_ ending: @escaping @Sendable () -> Void) {
        state.withLock { $0.ending = ending }
    }

    /// Has the next signal end a wait instead of the process, from now on.
    ///
    /// - Returns: The request to end; wait for its value.
    func request() -> Deferred<Void> {
        let request = Deferred<Void>()
        onEnd { request.set(()) }
        return request
    }

    /// Has something put right should the process be interrupted from now on.
    func cleaningUp(_ cleanup: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.next += 1
            state.cleanups[state.next] = cleanup
        }
    }

    /// Runs a closure with something to put right should the process end meanwhile, such as a terminal without echo.
    func guarding<Outcome>(_ cleanup: @escaping @Sendable () -> Void, _ body: () throws -> Outcome) rethrows
        -> Outcome
    {
        let key = state.withLock { state in
            state.next += 1
            state.cleanups[state.next] = cleanup
            return state.next
        }
        defer {
            state.withLock { _ = $0.cleanups.removeValue(forKey: key) }
            cleanup()
        }
        return try body()
    }

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
