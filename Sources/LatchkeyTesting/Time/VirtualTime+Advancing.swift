extension VirtualTime {
    /// Runs a closure, and advances the clock whenever a task sleeps on it.
    ///
    /// Use this to wait for work that sleeps repeatedly, such as a delayed payment. A single ``advance(by:)`` only
    /// wakes tasks that are already sleeping. The clock stops when the closure returns.
    ///
    /// The server's own work in the background doesn't make the clock advance, but also wakes up when its time has
    /// come.
    ///
    /// - Parameters:
    ///   - step: How far the clock advances each time.
    ///   - work: The closure to run. The closure is cancelled if the caller is cancelled.
    /// - Returns: The closure's result.
    public func advancing<Value: Sendable>(
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
