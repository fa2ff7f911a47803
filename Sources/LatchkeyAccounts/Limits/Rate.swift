/// A maximum number of events within a window of time.
public struct Rate: Hashable, Sendable {
    /// The maximum number of events.
    public let count: Int

    /// The length of the window.
    public let window: Duration

    /// Creates a rate that allows `count` events within `window`.
    ///
    /// - Parameters:
    ///   - count: The maximum number of events. If the count is 0, every event is rejected.
    ///   - window: The length of the window. A sliding window ends at the current time, and a bucket fills up
    ///     within the window.
    public init(_ count: Int, per window: Duration) {
        self.count = count
        self.window = window
    }

    /// The average time between two events.
    var interval: Duration { window / max(1, count) }

    /// Returns a rate that allows `factor` times as many events.
    func multiplied(by factor: Int) -> Rate { Rate(count * factor, per: window) }

    /// Returns how long to wait until another event is allowed by a sliding window, or zero if it is allowed
    /// now.
    ///
    /// The ages must be sorted with the most recent event first. They may include events that are older than
    /// the window.
    func wait(after ages: [Duration]) -> Duration {
        guard count > 0 else { return window }
        // Another event is allowed once only `count - 1` events are left in the window.
        guard ages.count >= count else { return .zero }
        return max(.zero, window - ages[count - 1])
    }
}
