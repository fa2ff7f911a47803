public import LatchkeyModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Converts between timestamps and dates.
extension Timestamp {
    /// Creates a timestamp from a date and rounds it to microseconds.
    ///
    /// - Parameter date: The date. Dates that are more than about 292,000 years away are clamped.
    public init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        self.init(microseconds: Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
    }

    /// The timestamp as a `Date`, for example for display.
    ///
    /// The result is accurate to a microsecond for dates within a few hundred years.
    public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}
