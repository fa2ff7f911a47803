import LatchkeyModel

/// The turns of orders: a few are sent at a time, so that the stored record of those without an answer stays small.
final class OrderTurns: Sendable {
    /// The number of orders that are sent at the same time.
    static let limit = 8

    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Waits for a turn, in the order of the calls.
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

    /// Ends a turn, and passes it on.
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
