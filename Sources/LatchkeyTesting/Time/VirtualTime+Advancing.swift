extension VirtualTime {
    /// Runs a closure, and advances the clock whenever a task sleeps on it.
    ///
    /// Only tasks that aren't ``VirtualTime/background`` tasks make the clock advance, but background tasks
    /// also wake up when their deadline is reached. The clock stops when the closure returns.
    ///
    /// - Parameters:
    ///   - step: How far the clock advances each time.
    ///   - work: The closure to run. The closure is cancelled if the caller is cancelled.
    /// - Returns: The closure's result.
    package func advancing<Value: Sendable>(
        by step: Duration,
        during work: @escaping @Sendable () async -> Value
    ) async -> Value {
        let clock = Task {
            while !Task.isCancelled {
                await sleepers(atLeast: 1)
                advance(by: step)
            }
        }
        defer { clock.cancel() }
        return await work()
    }
}
