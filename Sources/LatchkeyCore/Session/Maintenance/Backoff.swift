import LatchkeyModel

/// Exponential back-off based on a monotonic clock.
///
/// The delay doubles with each consecutive failure.
///
/// Each delay is extended by a random amount of up to 25%, so that devices don't all retry at the same time.
struct Backoff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var failures = 0
    private var end: Duration?

    /// Creates a back-off.
    ///
    /// There is no delay before the first failure.
    ///
    /// - Parameters:
    ///   - first: The delay after the first failure. Defaults to 60 seconds.
    ///   - longest: The maximum delay without the random extension. Defaults to one hour.
    init(first: Duration = .seconds(60), longest: Duration = .seconds(3600)) {
        (self.first, self.longest) = (first, longest)
    }

    /// Returns `true` unless a delay is in progress at the given time on the monotonic clock.
    func allows(at uptime: Duration) -> Bool {
        end.map { $0 <= uptime } ?? true
    }

    /// Returns how much of the current delay is left.
    ///
    /// - Parameter uptime: The current time on the monotonic clock.
    /// - Returns: The time until the delay ends, or zero if no delay is in progress.
    func remainder(at uptime: Duration) -> Duration {
        max(.zero, (end ?? uptime) - uptime)
    }

    /// Begins a delay that is twice as long as the one after the previous consecutive failure.
    ///
    /// - Parameters:
    ///   - uptime: The current time on the monotonic clock.
    ///   - random: The source of randomness for the delay.
    mutating func fail(at uptime: Duration, random: any RandomSource) {
        var pause = first
        for _ in 0..<failures where pause < longest { pause = min(pause * 2, longest) }
        failures += 1
        end = uptime + random.duration(in: pause..<(pause + pause / 4))
    }

    /// Resets the number of failures, and starts the initial delay.
    ///
    /// - Parameters:
    ///   - uptime: The current time on the monotonic clock.
    ///   - random: The source of randomness for the length of the delay.
    mutating func succeed(at uptime: Duration, random: any RandomSource) {
        failures = 0
        end = uptime + random.duration(in: first..<(first + first / 4))
    }
}
