import LatchkeyModel

/// Computes how long to wait before reconnecting to the event stream.
///
/// When a server stops, all of its clients lose their connections at the same time. Each delay therefore has
/// a random part that is at least as long as the fixed part. Otherwise, the clients would all reconnect at
/// once.
struct ReconnectPause: Sendable {
    /// The minimum size of the range that the random part is chosen from.
    private static let spread: Duration = .seconds(10)
    private static let (first, longest) = (Duration.seconds(2), Duration.seconds(300))
    /// The delay if the server doesn't support events.
    static let unsupported: Duration = .seconds(3600)
    /// The time that a stream has to stay open to count as a success, even if it breaks later.
    static let stableAfter: Duration = .seconds(60)

    private var backoff = Backoff(first: first, longest: longest)

    /// Resets the delay after a stream has stayed open long enough to count as a success.
    mutating func succeed() {
        backoff = Backoff(first: Self.first, longest: Self.longest)
    }

    /// Returns the next delay.
    ///
    /// - Parameters:
    ///   - wanted: The minimum delay that the server asked for.
    ///   - uptime: The current time on the monotonic clock.
    ///   - random: The source of randomness.
    /// - Returns: The time to wait before reconnecting.
    mutating func next(
        atLeast wanted: Duration,
        at uptime: Duration,
        random: any RandomSource
    ) -> Duration {
        backoff.fail(at: uptime, random: random)
        let base = max(backoff.remainder(at: uptime), wanted)
        return base + random.duration(in: .zero..<max(base, Self.spread))
    }
}
