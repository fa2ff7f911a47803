extension VirtualTime {
    /// Runs work, and advances the clock whenever a task sleeps on it.
    ///
    /// The clock advances only when a task other than a ``VirtualTime/background`` task sleeps, but
    /// background tasks whose deadline is reached also wake. The clock stops when the work returns.
    ///
    /// - Parameters:
    ///   - step: The duration by which the clock advances each time.
    ///   - work: The work, which is cancelled if the caller is cancelled.
    /// - Returns: The value that the work returned.
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
