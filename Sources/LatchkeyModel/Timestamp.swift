/// A point in time on the wall clock, with microsecond precision.
///
/// Timestamps are stored in the database as microseconds, and written to JSON in RFC 3339 format, in UTC.
/// Arithmetic saturates at the ends of the range, which are about 292,000 years away, because durations can
/// come from a remote peer.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// The number of microseconds since 1970-01-01T00:00:00Z, not counting leap seconds.
    public let microseconds: Int64

    /// Creates a timestamp from a number of microseconds.
    ///
    /// - Parameter microseconds: The number of microseconds since 1970-01-01T00:00:00Z.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Creates a timestamp from a number of seconds.
    ///
    /// - Parameter seconds: The number of seconds since 1970-01-01T00:00:00Z.
    public init(seconds: Int64) {
        self.init(microseconds: seconds.saturatingMultiply(1_000_000))
    }

    /// The number of whole seconds since 1970-01-01T00:00:00Z, rounded down.
    public var seconds: Int64 {
        microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    }

    /// Returns `true` if the left timestamp is earlier than the right one.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// Adds a duration to a timestamp, saturating at the end of the range.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let whole = duration.wholeMicroseconds
        guard whole == .max || whole == .min else {
            return Timestamp(microseconds: time.microseconds.saturatingAdd(whole))
        }
        // The longest duration between two timestamps doesn't fit into an `Int64`.
        let rest = (duration - .microseconds(whole)).wholeMicroseconds
        guard rest != .max, rest != .min else { return Timestamp(microseconds: rest) }
        return Timestamp(microseconds: time.microseconds.saturatingAdd(whole).saturatingAdd(rest))
    }

    /// Subtracts a duration from a timestamp, saturating at the end of the range.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        let whole = duration.wholeMicroseconds
        guard whole == .max || whole == .min else {
            return Timestamp(microseconds: time.microseconds.saturatingSubtract(whole))
        }
        let rest = (duration - .microseconds(whole)).wholeMicroseconds
        guard rest != .max, rest != .min else { return Timestamp(microseconds: rest == .max ? .min : .max) }
        return Timestamp(microseconds: time.microseconds.saturatingSubtract(whole).saturatingSubtract(rest))
    }

    /// Returns the duration between two timestamps.
    ///
    /// The duration is negative if `end` is earlier than `start`.
    public static func - (end: Timestamp, start: Timestamp) -> Duration {
        .microseconds(end.microseconds.saturatingSubtract(start.microseconds))
    }
}

extension Duration {
    /// The number of whole microseconds, rounded toward zero and clamped to the range of `Int64`.
    package var wholeMicroseconds: Int64 {
        // `components` traps if the seconds don't fit into an `Int64`.
        let (seconds, attoseconds) = min(max(self, .microseconds(Int64.min)), .microseconds(Int64.max))
            .components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}

extension Int64 {
    fileprivate func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    fileprivate func saturatingSubtract(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    fileprivate func saturatingMultiply(_ factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? ((self < 0) == (factor < 0) ? .max : .min) : product
    }
}
