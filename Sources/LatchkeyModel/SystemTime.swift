#if canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A time source based on the clocks of the operating system.
public struct SystemTime: TimeSource {
    /// Creates the source.
    public init() {}

    /// The current time of the real-time clock.
    ///
    /// It can jump in both directions when the clock is adjusted.
    public var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// The time on the monotonic clock since its first use in the process.
    public var uptime: Duration { Self.start.duration(to: .now) }

    private static let start = ContinuousClock.now

    /// Suspends the task for a duration on the monotonic clock.
    ///
    /// - Parameter duration: How long to wait.
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}
