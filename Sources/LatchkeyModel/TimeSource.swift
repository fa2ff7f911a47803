/// The wall clock and the waiting that a part may do; a test puts a virtual one in its place.
public protocol TimeSource: Sendable {
    /// The time now.
    var now: Timestamp { get }

    /// The time since a fixed moment, on a monotonic clock: for intervals within one process.
    ///
    /// The wall clock can step while a part waits. A source without such a clock of its own need not implement this.
    var uptime: Duration { get }

    /// Waits.
    ///
    /// - Parameter duration: How long.
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(for duration: Duration) async throws
}

extension TimeSource {
    /// The wall clock's time.
    public var uptime: Duration { .microseconds(now.microseconds) }
}
