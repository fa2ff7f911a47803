/// A point in time on the wall clock, in whole microseconds.
///
/// The database stores the number, the wire carries RFC 3339 in UTC.
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
        self.init(microseconds: seconds * 1_000_000)
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    public var seconds: Int64 {
        microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000
    }

    /// Tells whether one point in time comes before another.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The point in time a duration later.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: time.microseconds + duration.wholeMicroseconds)
    }

    /// The point in time a duration earlier.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: time.microseconds - duration.wholeMicroseconds)
    }

    /// The duration from one point in time to another.
    public static func - (end: Timestamp, start: Timestamp) -> Duration {
        .microseconds(end.microseconds - start.microseconds)
    }
}

extension Duration {
    /// The duration in microseconds, rounded towards zero.
    package var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
