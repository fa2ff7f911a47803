import LatchkeyModel

/// Limits the number of orders that are sent at the same time, so that the stored list of orders stays short.
final class OrderTurns: Sendable {
    /// The maximum number of orders that are sent at the same time.
    static let limit = 8

    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Waits until an order may be sent.
    ///
    /// Callers are served in the order of their calls.
    func begin() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.count < Self.limit else {
                    state.waiters.append(continuation)
                    return false
                }
                state.count += 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Allows the next waiting order to be sent.
    func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiters.isEmpty else {
                state.count -= 1
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
