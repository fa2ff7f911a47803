import LatchkeyModel
import LatchkeyTerminal

/// The place of a prompt or a program in the queue of all that use a terminal.
final class TerminalTurn<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, TerminalInputError>
    typealias Continuation = CheckedContinuation<Outcome, Never>

    private enum State {
        case new
        case waiting(Continuation)
        case begun
        case cancelled
    }

    private let state = Locked<State>(.new)

    /// Starts waiting.
    ///
    /// - Returns: `false` if the task was already cancelled. The continuation is then resumed.
    func wait(with continuation: Continuation) -> Bool {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .waiting(continuation)
            return false
        }
        if isCancelled { continuation.resume(returning: .failure(.interrupted)) }
        return !isCancelled
    }

    /// Returns the continuation, which the caller must resume, or `nil` if the task was cancelled.
    func begin() -> Continuation? {
        state.withLock { state in
            guard case .waiting(let continuation) = state else { return nil }
            state = .begun
            return continuation
        }
    }

    /// Ends the wait, unless the turn has begun.
    func cancel() {
        let waiting = state.withLock { state -> Continuation? in
            switch state {
            case .new, .cancelled:
                state = .cancelled
                return nil
            case .waiting(let continuation):
                state = .cancelled
                return continuation
            case .begun: return nil
            }
        }
        waiting?.resume(returning: .failure(.interrupted))
    }
}
