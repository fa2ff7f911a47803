extension VirtualTime {
    /// Runs work while the clock advances whenever a task sleeps.
    ///
    /// The clock advances only after a task sleeps outside the ``VirtualTime/background``; background tasks
    /// whose deadline is reached wake as well. It stops when the work returns.
    ///
    /// - Parameters:
    ///   - step: The length of each step of the clock.
    ///   - work: The work; if the caller is cancelled, so is the work.
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
