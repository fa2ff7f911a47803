/// A limit that allows several events at once, and then one event per interval.
///
/// Unlike a sliding window, a bucket that was emptied doesn't stay closed until the window has passed: the
/// next client behind the same address waits for one interval at most, unless others keep asking.
public struct TokenBucket: Hashable, Sendable {
    /// The number of events that are allowed at once if there were none for a while.
    public let burst: Int

    /// The time after which another event is allowed.
    public let interval: Duration

    /// Creates a bucket.
    ///
    /// - Parameters:
    ///   - burst: The number of events that are allowed at once, at least 1.
    ///   - interval: The time after which another event is allowed, which must be greater than zero.
    public init(_ burst: Int, every interval: Duration) {
        self.burst = burst
        self.interval = interval
    }

    /// The time that an empty bucket takes to fill up.
    var fillTime: Duration { interval * burst }

    /// Returns a bucket that allows `factor` times as many events, at once and per time.
    func multiplied(by factor: Int) -> TokenBucket {
        TokenBucket(burst * factor, every: interval / factor)
    }
}
