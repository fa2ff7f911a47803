#if canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A time source that uses the operating system's clocks.
public struct SystemTime: TimeSource {
    /// Creates a time source that uses the operating system's clocks.
    public init() {}

    /// The current time according to the real-time clock.
    ///
    /// This time can jump forward or backward when the clock is adjusted.
    public var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// The time that has passed on the monotonic clock since this property was first used.
    public var uptime: Duration { Self.start.duration(to: .now) }

    private static let start = ContinuousClock.now

    /// The maximum duration of a single timer.
    ///
    /// A timer stays in memory until it fires, even if its task is cancelled, and the system's timers can't
    /// represent all durations.
    private static let longestTimer: Duration = .seconds(3600)

    /// Suspends the current task for at least the given duration, measured on the monotonic clock.
    ///
    /// - Parameter duration: How long to wait, which can be any duration.
    /// - Throws: `CancellationError` if the task is cancelled while waiting.
    public func sleep(for duration: Duration) async throws {
        var rest = max(.zero, duration)
        while rest > Self.longestTimer {
            try await Task.sleep(for: Self.longestTimer)
            rest -= Self.longestTimer
        }
        try await Task.sleep(for: rest)
    }
}
