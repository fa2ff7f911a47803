/// How often something may happen: a pure function of the times at which it happened.
package enum LimitRule: Hashable, Sendable {
    /// No more than so many times within each window; the windows slide. Without windows there is no limit.
    case sliding([LimitWindow])

    /// A few times at once, then after waits that double; what is older than the memory does not count.
    ///
    /// Without a longest wait there is no limit.
    case growingWaits(free: Int, first: Duration, longest: Duration, memory: Duration)

    /// No limit at all.
    package static let lifted = LimitRule.sliding([])

    /// Whether everything is allowed, so that nothing need be remembered.
    package var isLifted: Bool {
        switch self {
        case .sliding(let windows): windows.isEmpty
        case .growingWaits(_, _, let longest, _): longest <= .zero
        }
    }

    /// How long an event matters.
    package var horizon: Duration {
        switch self {
        case .sliding(let windows): windows.map(\.length).max() ?? .zero
        case .growingWaits(_, _, _, let memory): memory
        }
    }

    /// The same windows with room for more events; waits that grow stay as they are.
    package func multiplied(by factor: Int) -> LimitRule {
        guard factor != 1, case .sliding(let windows) = self else { return self }
        return .sliding(windows.map { LimitWindow($0.count * factor, per: $0.length) })
    }

    /// Whether a number of events is at least four fifths of what a window allows.
    func isNearlyUsed(by count: Int) -> Bool {
        guard case .sliding(let windows) = self, let fewest = windows.map(\.count).min() else { return false }
        return count * 5 >= fewest * 4
    }

    /// Decides about one more event now.
    ///
    /// - Parameter ages: How long ago the events were that still matter, the latest first.
    /// - Returns: How long to wait; zero when it may happen.
    package func wait(after ages: [Duration]) -> Duration {
        switch self {
        case .sliding(let windows):
            windows.map { $0.wait(after: ages) }.max() ?? .zero
        case .growingWaits(let free, let first, let longest, _):
            Self.growingWait(after: ages, free: free, first: first, longest: longest)
        }
    }

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
