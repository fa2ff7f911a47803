import LatchkeyModel

/// A value that one task waits for; whichever comes first counts, the value or the task's cancellation.
final class Arrival<Value: Sendable>: Sendable {
    private enum State {
        /// Nothing has happened. Becomes `awaited`, `arrived` or `cancelled`.
        case idle
        /// The task waits. Becomes `arrived` or `cancelled`.
        case awaited(CheckedContinuation<Value?, Never>)
        /// The value is there; final.
        case arrived(Value)
        /// The task no longer wants it; final.
        case cancelled
    }

    private let state = Locked<State>(.idle)

    func set(_ value: Value) {
        finish(.arrived(value), with: value)
    }

    /// The value; nothing when the waiting task is cancelled first.
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
                        case .idle, .awaited:
                            state = .awaited(continuation)
                            return nil
                        }
                    }
                    if let early { continuation.resume(returning: early) }
                }
            } onCancel: {
                finish(.cancelled, with: nil)
            }
        }
    }

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
