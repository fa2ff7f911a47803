#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The clock of the operating system.
public struct SystemTime: TimeSource {
    /// Creates the source.
    public init() {}

    /// The time of the system's real-time clock.
    public var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// The time since the process first asked, on the system's monotonic clock.
    public var uptime: Duration { Self.start.duration(to: .now) }

    private static let start = ContinuousClock.now

    /// Waits on the system's monotonic clock.
    ///
    /// - Parameter duration: How long.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}
