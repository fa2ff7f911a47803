/// A point in time on the wall clock, in whole microseconds.
///
/// The database stores the number, the wire carries RFC 3339 in UTC. Arithmetic stops at the ends of the range,
/// some 292 000 years away, because durations also come from the other side.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public let microseconds: Int64

    /// Creates a point in time.
    ///
    /// - Parameter microseconds: Microseconds since 1970-01-01T00:00:00Z.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Creates a point in time.
    ///
    /// - Parameter seconds: Seconds since 1970-01-01T00:00:00Z.
    public init(seconds: Int64) {
        self.init(microseconds: seconds.saturatingMultiply(1_000_000))
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    public var seconds: Int64 {
        microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    }

    /// Tells whether one point in time comes before another.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The point in time a duration later.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: time.microseconds.saturatingAdd(duration.wholeMicroseconds))
    }

    /// The point in time a duration earlier.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: time.microseconds.saturatingSubtract(duration.wholeMicroseconds))
    }

    /// The duration from one point in time to another.
    public static func - (end: Timestamp, start: Timestamp) -> Duration {
        .microseconds(end.microseconds.saturatingSubtract(start.microseconds))
    }
}

extension Duration {
    /// The duration in microseconds, rounded towards zero; the nearest number when it is out of range.
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
