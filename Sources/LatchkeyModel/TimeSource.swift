/// A source of the current time and of delays; tests replace it with a virtual clock.
public protocol TimeSource: Sendable {
    /// The current time of the wall clock.
    var now: Timestamp { get }

    /// The time since a fixed moment on a monotonic clock, for measuring intervals within one process.
    ///
    /// The wall clock can be adjusted during an interval. The default implementation uses the wall clock, for
    /// sources that have no other.
    var uptime: Duration { get }

    /// Suspends the task.
    ///
    /// - Parameter duration: How long to wait.
    /// - Throws: `CancellationError` if the task is cancelled first.
    func sleep(for duration: Duration) async throws
}

extension TimeSource {
    /// The time of the wall clock since 1970.
    public var uptime: Duration { .microseconds(now.microseconds) }
}
