import LatchkeyModel

/// An exponential back-off on a monotonic clock: each consecutive failure doubles the pause.
///
/// Each pause is extended by a random amount of up to a quarter, so that devices do not all retry at the same
/// time.
struct Backoff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var failures = 0
    private var end: Duration?

    /// Creates a back-off without a pause.
    ///
    /// - Parameters:
    ///   - first: The pause after the first failure; 60 seconds by default.
    ///   - longest: The longest pause, not counting the random extension; one hour by default.
    init(first: Duration = .seconds(60), longest: Duration = .seconds(3600)) {
        (self.first, self.longest) = (first, longest)
    }

    /// Returns whether no pause is in progress at the given time on the monotonic clock.
    func allows(at uptime: Duration) -> Bool {
        end.map { $0 <= uptime } ?? true
    }

    /// Returns the remaining time of the pause.
    ///
    /// - Parameter uptime: The current time on the monotonic clock.
    /// - Returns: The time until the pause ends; zero if none is in progress.
    func remainder(at uptime: Duration) -> Duration {
        max(.zero, (end ?? uptime) - uptime)
    }

    /// Begins a pause that is twice as long as the one after the previous failure.
    ///
    /// - Parameters:
    ///   - uptime: The current time on the monotonic clock.
    ///   - random: Randomizes the length of the pause.
    mutating func fail(at uptime: Duration, random: any RandomSource) {
        var pause = first
        for _ in 0..<failures where pause < longest { pause = min(pause * 2, longest) }
        failures += 1
        end = uptime + random.duration(in: pause..<(pause + pause / 4))
    }

    /// Resets the number of failures, and begins a pause of the initial length.
    ///
    /// - Parameters:
    ///   - uptime: The current time on the monotonic clock.
    ///   - random: Randomizes the length of the pause.
    mutating func succeed(at uptime: Duration, random: any RandomSource) {
        failures = 0
        end = uptime + random.duration(in: first..<(first + first / 4))
    }
}
