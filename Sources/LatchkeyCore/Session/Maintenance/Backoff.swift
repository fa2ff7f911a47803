import LatchkeyModel

/// Pauses between attempts, on a monotonic clock: each failure in a row doubles the pause.
///
/// Each pause is drawn between its length and a quarter more, so that devices that failed together do not all try again
/// together.
struct Backoff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var failures = 0
    private var end: Duration?

    /// Creates a back-off without a pause.
    ///
    /// - Parameters:
    ///   - first: The pause after the first failure.
    ///   - longest: The longest pause.
    init(first: Duration = .seconds(60), longest: Duration = .seconds(3600)) {
        (self.first, self.longest) = (first, longest)
    }

    /// Whether no pause is under way at a time on the monotonic clock.
    func allows(at uptime: Duration) -> Bool {
        end.map { $0 <= uptime } ?? true
    }

    /// Returns how much of the pause is left.
    ///
    /// - Parameter uptime: The time on the monotonic clock.
    /// - Returns: The rest of the pause; zero when none is under way.
    func remainder(at uptime: Duration) -> Duration {
        max(.zero, (end ?? uptime) - uptime)
    }

    /// Begins a pause that is twice as long as the last one.
    ///
    /// - Parameters:
    ///   - uptime: The time on the monotonic clock.
    ///   - random: Draws the length of the pause.
    mutating func fail(at uptime: Duration, random: any RandomSource) {
        var pause = first
        for _ in 0..<failures where pause < longest { pause = min(pause * 2, longest) }
        failures += 1
        end = uptime + random.duration(in: pause..<(pause + pause / 4))
    }

    /// Begins the first pause again.
    ///
    /// - Parameters:
    ///   - uptime: The time on the monotonic clock.
    ///   - random: Draws the length of the pause.
    mutating func succeed(at uptime: Duration, random: any RandomSource) {
        failures = 0
        end = uptime + random.duration(in: first..<(first + first / 4))
    }
}
