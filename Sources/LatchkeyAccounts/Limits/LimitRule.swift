import LatchkeyModel

/// A rate limit that depends only on the times of past events.
package enum LimitRule: Hashable, Sendable {
    /// A maximum number of events in each of several sliding windows.
    ///
    /// An empty list means that there is no limit.
    case sliding([Rate])

    /// A bucket, which allows the rate's count of events at once, and then one event per interval.
    ///
    /// The interval is the window divided by the count, so an empty bucket takes one window to fill up.
    /// Unlike a sliding window, a bucket that was emptied doesn't stay closed until the window has passed:
    /// the next client behind the same address waits for one interval at most, unless others keep asking.
    ///
    /// Only one time is stored: when the bucket will be full again (GCRA).
    case bucket(Rate)

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
        case .bucket: false
        case .growingWaits(_, _, let longest, _): longest <= .zero
        }
    }

    /// The age at which events stop counting towards the limit.
    ///
    /// Older timestamps are deleted the next time an event is counted.
    package var horizon: Duration {
        switch self {
        case .sliding(let windows): windows.map(\.window).max() ?? .zero
        case .bucket(let rate): rate.window
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
        guard factor != 1 else { return self }
        return switch self {
        case .sliding(let windows): .sliding(windows.map { $0.multiplied(by: factor) })
        case .bucket(let rate): .bucket(rate.multiplied(by: factor))
        case .growingWaits: self
        }
    }

    /// Returns whether the number of events has reached 80 percent of the smallest maximum of any window.
    ///
    /// We use this to warn the operator when the limit for all text messages has almost been reached. Always
    /// returns `false` for other rules.
    func isNearlyUsed(by count: Int) -> Bool {
        guard case .sliding(let windows) = self, let fewest = windows.map(\.count).min() else { return false }
        return count * 5 >= fewest * 4
    }

    /// Returns the stored times that still matter.
    ///
    /// If the clock was set back, stored times can be later than this rule could have stored them by now.
    /// They are replaced with the latest time that it could have stored, so that no wait is longer than the
    /// rule's own. The caller must store the result. Otherwise, the wait would start again each time.
    func current(_ stored: EventTimestamps, at now: Timestamp) -> EventTimestamps {
        switch self {
        case .bucket: stored.pending(at: now, atMost: horizon)
        case .sliding, .growingWaits: stored.recent(at: now, horizon: horizon)
        }
    }

    /// Returns whether a stored time is later than this rule could have stored it by now.
    func isAhead(_ stored: EventTimestamps, at now: Timestamp) -> Bool {
        guard let latest = stored.times.max() else { return false }
        if case .bucket = self { return latest > now + horizon }
        return latest > now
    }

    /// Returns the current times after another event was counted.
    func counting(_ now: Timestamp, after current: EventTimestamps) -> EventTimestamps {
        var stamps = current
        switch self {
        case .bucket(let rate):
            stamps = EventTimestamps([max(current.times.last ?? now, now) + rate.interval])
        case .sliding, .growingWaits: stamps.append(now)
        }
        return stamps
    }

    /// Returns how long to wait until another event is allowed, given the times that still matter.
    func wait(after current: EventTimestamps, at now: Timestamp) -> Duration {
        switch self {
        case .sliding(let windows):
            let ages = current.ages(at: now)
            return windows.map { $0.wait(after: ages) }.max() ?? .zero
        case .bucket(let rate):
            guard let full = current.times.last else { return .zero }
            return max(.zero, full - now - rate.interval * (rate.count - 1))
        case .growingWaits(let free, let first, let longest, _):
            return Self.growingWait(
                after: current.ages(at: now),
                free: free,
                first: first,
                longest: longest
            )
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
