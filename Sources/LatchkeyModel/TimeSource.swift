/// A source of the current time and of delays; tests replace it with a virtual clock.
public protocol TimeSource: Sendable {
    /// The current time of the wall clock.
    var now: Timestamp { get }

    /// The time since a fixed moment on a monotonic clock, for measuring intervals within one process.
    ///
    /// Do not measure intervals on the wall clock, which can be adjusted in the meantime. The default
    /// implementation uses it nonetheless, for sources that have no other clock.
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
