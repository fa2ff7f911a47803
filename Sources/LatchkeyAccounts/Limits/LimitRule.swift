/// A rate limit that depends only on the times of past events.
package enum LimitRule: Hashable, Sendable {
    /// A maximum number of events within each of several sliding windows; an empty list means no limit.
    case sliding([Rate])

    /// A number of events that need no wait, followed by a wait that doubles after each further event.
    ///
    /// The wait never exceeds `longest`.
    ///
    /// Events older than `memory` are ignored. A `longest` wait of zero means no limit.
    case growingWaits(free: Int, first: Duration, longest: Duration, memory: Duration)

    /// A rule that allows every event.
    package static let lifted = LimitRule.sliding([])

    /// Whether there is no limit, in which case events are not stored.
    package var isLifted: Bool {
        switch self {
        case .sliding(let windows): windows.isEmpty
        case .growingWaits(_, _, let longest, _): longest <= .zero
        }
    }

    /// The age from which an event no longer affects the limit.
    ///
    /// Older timestamps are deleted when the next event is counted.
    package var horizon: Duration {
        switch self {
        case .sliding(let windows): windows.map(\.window).max() ?? .zero
        case .growingWaits(_, _, _, let memory): memory
        }
    }

    /// Returns the rule with the counts of its windows multiplied by a factor; growing waits do not change.
    ///
    /// The factor must be at least 1. Larger factors are for shorter IPv6 prefixes; see
    /// ``Network/allowance``.
    package func multiplied(by factor: Int) -> LimitRule {
        guard factor != 1, case .sliding(let windows) = self else { return self }
        return .sliding(windows.map { Rate($0.count * factor, per: $0.window) })
    }

    /// Returns whether a number of events has reached 80 percent of the smallest count among the windows.
    ///
    /// The result is `false` for growing waits. The operator is warned when the limit for all text messages
    /// is nearly reached.
    func isNearlyUsed(by count: Int) -> Bool {
        guard case .sliding(let windows) = self, let fewest = windows.map(\.count).min() else { return false }
        return count * 5 >= fewest * 4
    }

    /// Returns the wait before one more event is allowed.
    ///
    /// - Parameter ages: The ages of the events within ``horizon``, most recent first.
    /// - Returns: The time to wait; zero if the event is allowed now.
    package func wait(after ages: [Duration]) -> Duration {
        switch self {
        case .sliding(let windows):
            windows.map { $0.wait(after: ages) }.max() ?? .zero
        case .growingWaits(let free, let first, let longest, _):
            Self.growingWait(after: ages, free: free, first: first, longest: longest)
        }
    }

    /// Returns how much of the wait after the latest event is left.
    ///
    /// The wait is `first` after `free` events, and doubles with each further event up to `longest`.
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
