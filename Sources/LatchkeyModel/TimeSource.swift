/// Provides the current time and lets tasks sleep.
///
/// Tests use a virtual clock instead.
public protocol TimeSource: Sendable {
    /// The current wall-clock time.
    var now: Timestamp { get }

    /// The time that has passed since an arbitrary fixed point on a monotonic clock. Use this to measure
    /// intervals within a process.
    ///
    /// Don't measure intervals with the wall clock, because it may be adjusted in the meantime. Time sources
    /// without a monotonic clock can rely on the default implementation, which uses the wall clock.
    var uptime: Duration { get }

    /// Suspends the current task for the given duration.
    ///
    /// - Parameter duration: How long to wait.
    /// - Throws: `CancellationError` if the task is cancelled while waiting.
    func sleep(for duration: Duration) async throws
}

extension TimeSource {
    /// The wall-clock time since 1970.
    public var uptime: Duration { .microseconds(now.microseconds) }
}
