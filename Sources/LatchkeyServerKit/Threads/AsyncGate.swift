import LatchkeyModel

/// A gate that limits how many tasks can pass at the same time.
///
/// Waiting tasks are admitted in the order in which they arrived.
package final class AsyncGate: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The position of the first task that is still waiting.
        ///
        /// Storing the position avoids shifting the array every time a task leaves.
        var first = 0
    }

    private let state: Locked<State>

    /// Creates a gate.
    ///
    /// - Parameter limit: The maximum number of tasks that can be inside the gate at the same time. Numbers
    ///   less than 1 are treated as 1.
    package init(limit: Int) {
        state = Locked(State(free: max(1, limit)))
    }

    /// Runs a closure once fewer tasks than the limit are inside the gate.
    ///
    /// A task that has been cancelled still waits for its turn.
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
