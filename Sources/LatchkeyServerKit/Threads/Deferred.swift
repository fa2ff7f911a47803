import LatchkeyModel

/// A value that is set once, from a task or a plain thread, and that any number of tasks can await.
///
/// Cancellation has no effect: a waiting task resumes only when the value is set.
package final class Deferred<Value: Sendable>: Sendable {
    private enum State {
        case awaited([CheckedContinuation<Value, Never>])
        case set(Value)
    }

    private let state = Locked<State>(.awaited([]))

    /// Creates a value that is not set yet.
    package init() {}

    /// Sets the value and resumes all waiting tasks, unless the value is already set.
    ///
    /// This method does not block, so it can be called from any thread.
    package func set(_ value: Value) {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
            guard case .awaited(let waiting) = state else { return [] }
            state = .set(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    /// Waits until the value is set, and returns it.
    package var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Value? in
                    switch state {
                    case .set(let value):
                        return value
                    case .awaited(let waiting):
                        state = .awaited(waiting + [continuation])
                        return nil
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}
