import LatchkeyModel

/// A value that one task waits for.
///
/// The wait returns the value or `nil`, depending on whether the value or a cancellation arrives first.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        /// The value has not arrived, and no task is waiting for it.
        ///
        /// The next state is `awaited`, `arrived` or `cancelled`.
        case idle
        /// A task is waiting for the value.
        ///
        /// The next state is `arrived` or `cancelled`.
        case awaited(CheckedContinuation<Value?, Never>)
        /// The value has arrived.
        ///
        /// This state is final.
        case arrived(Value)
        /// The wait was cancelled.
        ///
        /// This state is final.
        case cancelled
    }

    private let state = Locked<State>(.idle)

    /// Creates a value that hasn't arrived yet.
    package init() {}

    /// Sets the value and resumes the waiting task.
    ///
    /// This has no effect if the value was already set or the task was cancelled.
    ///
    /// - Returns: Whether this call set the value.
    @discardableResult package func set(_ value: Value) -> Bool {
        finish(.arrived(value), with: value)
    }

    /// Ends the wait without a value, as if the waiting task had been cancelled.
    package func cancel() {
        finish(.cancelled, with: nil)
    }

    /// Waits for the value and returns it, or returns `nil` if the waiting task is cancelled first.
    ///
    /// Only one task may wait at a time; a second one is a programming error. A value that arrives before the
    /// task is cancelled is still returned.
    package var value: Value? {
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
                            // This is unreachable, because each owner awaits its value once, in one place.
                            // Without the trap, the first task would stay suspended forever.
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

    /// Changes the state once, and resumes the waiting task after releasing the lock.
    ///
    /// - Returns: Whether the state has changed.
    @discardableResult private func finish(_ end: State, with value: Value?) -> Bool {
        let (waiting, isChanged): (CheckedContinuation<Value?, Never>?, Bool) = state.withLock { state in
            switch state {
            case .idle:
                state = end
                return (nil, true)
            case .awaited(let continuation):
                state = end
                return (continuation, true)
            case .arrived, .cancelled:
                return (nil, false)
            }
        }
        waiting?.resume(returning: value)
        return isChanged
    }
}
