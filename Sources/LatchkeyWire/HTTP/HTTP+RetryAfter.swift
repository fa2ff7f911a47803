package import LatchkeyModel

extension HTTP.Response {
    /// Returns the delay that `Retry-After` asks for (RFC 9110, section 10.2.3), or `nil` if the field is
    /// missing or invalid.
    ///
    /// A date is compared with the response's own `Date`, because the clocks may differ.
    ///
    /// - Parameter now: The current time, which is used if the response has no valid `Date`.
    /// - Returns: The delay, which isn't bounded. It is zero for a negative number and for a date in the
    ///   past.
    package func retryAfter(at now: Timestamp) -> Duration? {
        guard let value = headers["Retry-After"] else { return nil }
        let isNegative = value.hasPrefix("-")
        let digits = value.utf8.dropFirst(isNegative ? 1 : 0)
        if !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) {
            return isNegative ? .zero : .seconds(Int64(value) ?? .max)
        }
        guard let date = Timestamp(httpDate: value, now: now) else { return nil }
        let start = headers["Date"].flatMap { Timestamp(httpDate: $0, now: now) } ?? now
        return max(.zero, date - start)
    }
}

extension Timestamp {
    fileprivate static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses a date in a header field, in any of the three formats of RFC 9110, section 5.6.7.
    ///
    /// Returns `nil` for any other text.
    ///
    /// - Parameters:
    ///   - text: The date, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///   - now: The current time, which determines the century of a year with two digits.
    package init?(httpDate text: String, now: Timestamp) {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        let (day, month, year, time): (String, String, String, String)
        switch words.count {
        case 6 where words[5] == "GMT": (day, month, year, time) = (words[1], words[2], words[3], words[4])
        // "Sun Nov  6 08:49:37 1994", the format of C's `asctime`.
        case 5: (day, month, year, time) = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        guard let number = Self.months.firstIndex(of: month) else { return nil }
        let date = "\(number < 9 ? "0" : "")\(number + 1)-\(day.utf8.count == 1 ? "0" : "")\(day)T\(time)Z"
        guard year.utf8.count == 2 else {
            self.init(rfc3339: "\(year)-\(date)")
            return
        }
        // A date that appears to be more than 50 years in the future is in the past.
        let centuries = [1, 0, -1].map { (Int(now.description.prefix(2)) ?? 20) + $0 }
        let limit = now + .seconds(50 * 31_556_952)
        let dates = centuries.lazy.compactMap { Timestamp(rfc3339: "\($0)\(year)-\(date)") }
        guard let found = dates.first(where: { $0 <= limit }) else { return nil }
        self = found
    }
}

extension Timestamp {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// The time in the format of header fields (RFC 9110, section 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var httpDate: String {
        let days = (seconds / 86_400) - (seconds % 86_400 < 0 ? 1 : 0)
        let weekday = Self.weekdays[Int(((days % 7) + 7) % 7)]
        let text = description
        let parts = text.prefix(10).split(separator: "-")
        let month = Self.months[(Int(parts[1]) ?? 1) - 1]
        return "\(weekday), \(parts[2]) \(month) \(parts[0]) \(text.dropFirst(11).prefix(8)) GMT"
    }
}
