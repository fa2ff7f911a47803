import LatchkeyModel

/// A value that is set once and that any number of tasks can await.
///
/// The value can be set from a task or from a thread.
///
/// Cancellation has no effect. A waiting task only resumes when the value is set.
package final class Deferred<Value: Sendable>: Sendable {
    private enum State {
        case awaited([CheckedContinuation<Value, Never>])
        case set(Value)
    }

    private let state = Locked<State>(.awaited([]))

    /// Creates a value that hasn't been set yet.
    package init() {}

    /// Sets the value and resumes all waiting tasks.
    ///
    /// Setting the value again has no effect.
    ///
    /// This method doesn't block and can be called from any thread.
    package func set(_ value: Value) {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
            guard case .awaited(let waiting) = state else { return [] }
            state = .set(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    /// The value.
    ///
    /// Reading this property waits until the value has been set.
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
