public import LatchkeyModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The conversion between timestamps and dates.
extension Timestamp {
    /// Creates a timestamp from a date, rounded to whole microseconds.
    ///
    /// - Parameter date: The date; the result saturates some 292,000 years away.
    public init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        self.init(microseconds: Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
    }

    /// The timestamp as a date, such as for display; precise to a microsecond for some hundred years.
    public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}
