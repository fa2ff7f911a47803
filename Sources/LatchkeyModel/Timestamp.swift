/// A point in time on the wall clock, in whole microseconds.
///
/// The database stores the number of microseconds, and JSON contains the time in RFC 3339 form, in UTC.
/// Arithmetic saturates at the ends of the range, some 292,000 years away, because durations can come from a
/// remote peer.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, not counting leap seconds.
    public let microseconds: Int64

    /// Creates a timestamp from microseconds.
    ///
    /// - Parameter microseconds: Microseconds since 1970-01-01T00:00:00Z.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Creates a timestamp from seconds.
    ///
    /// - Parameter seconds: Seconds since 1970-01-01T00:00:00Z.
    public init(seconds: Int64) {
        self.init(microseconds: seconds.saturatingMultiply(1_000_000))
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    public var seconds: Int64 {
        microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    }

    /// Returns whether the left timestamp is earlier than the right one.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// Returns the timestamp that is later by a duration, saturating at the end of the range.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: time.microseconds.saturatingAdd(duration.wholeMicroseconds))
    }

    /// Returns the timestamp that is earlier by a duration, saturating at the end of the range.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: time.microseconds.saturatingSubtract(duration.wholeMicroseconds))
    }

    /// Returns the duration from one timestamp to another; negative if the end is earlier.
    public static func - (end: Timestamp, start: Timestamp) -> Duration {
        .microseconds(end.microseconds.saturatingSubtract(start.microseconds))
    }
}

extension Duration {
    /// The duration in microseconds, rounded toward zero and clamped to the range of `Int64`.
    package var wholeMicroseconds: Int64 {
        components.seconds.saturatingMultiply(1_000_000)
            .saturatingAdd(components.attoseconds / 1_000_000_000_000)
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
