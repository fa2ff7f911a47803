/// A rate limit that depends only on the times of past events.
package enum LimitRule: Hashable, Sendable {
    /// A maximum number of events in each of several sliding windows.
    ///
    /// An empty list means that there is no limit.
    case sliding([Rate])

    /// Allows the first `free` events immediately, and delays any further events.
    ///
    /// The delay doubles with each of these events, but never exceeds `longest`. If `longest` is zero, there
    /// is no limit. Events that are older than `memory` are ignored.
    case growingWaits(free: Int, first: Duration, longest: Duration, memory: Duration)

    /// A rule that allows every event.
    package static let lifted = LimitRule.sliding([])

    /// Whether there is no limit.
    ///
    /// Events without a limit aren't stored.
    package var isLifted: Bool {
        switch self {
        case .sliding(let windows): windows.isEmpty
        case .growingWaits(_, _, let longest, _): longest <= .zero
        }
    }

    /// The age at which events stop counting towards the limit.
    ///
    /// Older timestamps are deleted the next time an event is counted.
    package var horizon: Duration {
        switch self {
        case .sliding(let windows): windows.map(\.window).max() ?? .zero
        case .growingWaits(_, _, _, let memory): memory
        }
    }

    /// Returns the rule with a higher maximum for each window.
    ///
    /// A rule with growing waits is returned unchanged.
    ///
    /// The factor must be at least 1. Networks with a shorter IPv6 prefix have a larger factor; see
    /// ``Network/allowance``.
    package func multiplied(by factor: Int) -> LimitRule {
        guard factor != 1, case .sliding(let windows) = self else { return self }
        return .sliding(windows.map { Rate($0.count * factor, per: $0.window) })
    }

    /// Returns whether the number of events has reached 80 percent of the smallest maximum of any window.
    ///
    /// We use this to warn the operator when the limit for all text messages has almost been reached. Always
    /// returns `false` for growing waits.
    func isNearlyUsed(by count: Int) -> Bool {
        guard case .sliding(let windows) = self, let fewest = windows.map(\.count).min() else { return false }
        return count * 5 >= fewest * 4
    }

    /// Returns how long to wait until another event is allowed.
    ///
    /// - Parameter ages: The ages of the events within ``horizon``, most recent first.
    /// - Returns: The time to wait, or zero if the event is allowed now.
    package func wait(after ages: [Duration]) -> Duration {
        switch self {
        case .sliding(let windows):
            windows.map { $0.wait(after: ages) }.max() ?? .zero
        case .growingWaits(let free, let first, let longest, _):
            Self.growingWait(after: ages, free: free, first: first, longest: longest)
        }
    }

    /// Returns how long a client still has to wait after the latest event.
    ///
    /// The total wait is `first` after `free` events. Each additional event doubles it, up to `longest`.
    private static func growingWait(
        after ages: [Duration],
        free: Int,
        first: Duration,
        longest: Duration
    ) -> Duration {
        guard let latest = ages.first, ages.count >= free else { return .zero }
        var wait = min(first, longest)
        var doublings = ages.count - free
        while doublings > 0, wait > .zero, wait < longest {
            wait = min(wait * 2, longest)
            doublings -= 1
        }
        return max(.zero, wait - latest)
    }
}
