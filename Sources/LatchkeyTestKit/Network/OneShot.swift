import LatchkeyModel

/// A value that one task waits for; the result depends on whether the value or a cancellation arrives first.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        /// Neither the value nor a cancellation has arrived. Changes to `awaited`, `arrived` or `cancelled`.
        case idle
        /// A task is waiting. Changes to `arrived` or `cancelled`.
        case awaited(CheckedContinuation<Value?, Never>)
        /// The value has arrived. This state is final.
        case arrived(Value)
        /// The waiting task was cancelled. This state is final.
        case cancelled
    }

    private let state = Locked<State>(.idle)

    /// Sets the value and resumes the waiting task; has no effect after an earlier call or a cancellation.
    func set(_ value: Value) {
        finish(.arrived(value), with: value)
    }

    /// The value, as soon as it has been set; `nil` if the waiting task is cancelled first.
    ///
    /// Only one task may wait at a time; a second one is a programming error. A value that arrived before the
    /// cancellation is still returned.
    var value: Value? {
        get async {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let early: Value?? = state.withLock { state in
                        switch state {
                        case .arrived(let value):
                            return .some(value)
                        case .cancelled:
                            return .some(nil)
                        case .idle:
                            state = .awaited(continuation)
                            return nil
                        case .awaited:
                            // Unreachable: each owner awaits the value it created in one place, once. Going
                            // on would leave the first task suspended forever.
                            preconditionFailure("Another task is already waiting for the value.")
                        }
                    }
                    if let early { continuation.resume(returning: early) }
                }
            } onCancel: {
                finish(.cancelled, with: nil)
            }
        }
    }

    /// Changes the state once, and resumes the waiting task outside the lock.
    private func finish(_ end: State, with value: Value?) {
        let waiting: CheckedContinuation<Value?, Never>? = state.withLock { state in
            switch state {
            case .idle:
                state = end
                return nil
            case .awaited(let continuation):
                state = end
                return continuation
            case .arrived, .cancelled:
                return nil
            }
        }
        waiting?.resume(returning: value)
    }
}
