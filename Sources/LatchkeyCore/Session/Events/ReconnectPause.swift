import LatchkeyModel

/// The pauses between attempts to follow the events of a session.
///
/// When a server stops, all of its clients lose their streams at the same moment. Each pause therefore has a random part
/// that is at least as long as its fixed part, so that the clients do not return in a wave.
struct ReconnectPause: Sendable {
    /// The shortest range of the random part.
    private static let spread: Duration = .seconds(10)
    private static let (first, longest) = (Duration.seconds(2), Duration.seconds(300))
    /// The pause if the server has no route for events.
    static let unsupported: Duration = .seconds(3600)
    /// The time after which a stream counts as a success, even if it breaks later.
    static let stableAfter: Duration = .seconds(60)

    private var backoff = Backoff(first: first, longest: longest)

    /// Begins again with short pauses, because a stream was open for a while.
    mutating func succeed() {
        backoff = Backoff(first: Self.first, longest: Self.longest)
    }

    /// Returns the length of the next pause.
    ///
    /// - Parameters:
    ///   - wanted: The pause that the server has asked for; a shorter one is not used.
    ///   - uptime: The current time on the monotonic clock.
    ///   - random: The random source.
    /// - Returns: The pause.
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
