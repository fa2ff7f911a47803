import LatchkeyModel

/// A gate that lets a limited number of tasks pass at a time, in the order of their arrival.
package final class AsyncGate: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The position of the first task that still waits, so that the array is not shifted for each task.
        var first = 0
    }

    private let state: Locked<State>

    /// Creates a gate.
    ///
    /// - Parameter limit: The maximum number of tasks, at least 1.
    package init(limit: Int) {
        state = Locked(State(free: max(1, limit)))
    }

    /// Runs a closure as soon as fewer tasks than the limit run theirs.
    ///
    /// Cancellation does not shorten the wait.
    package func pass<Outcome>(_ body: () async throws -> Outcome) async rethrows -> Outcome {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.first < state.waiting.count else {
                state.waiting = []
                state.first = 0
                state.free += 1
                return nil
            }
            defer { state.first += 1 }
            return state.waiting[state.first]
        }
        next?.resume()
    }
}
