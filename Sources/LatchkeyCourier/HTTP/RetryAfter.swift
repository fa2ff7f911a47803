import LatchkeyModel

/// Parses the `Retry-After` header field (RFC 9110, section 10.2.3).
enum RetryAfter {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses a number of seconds or a date, and returns the delay.
    ///
    /// Returns `nil` for any other value.
    ///
    /// - Parameters:
    ///   - value: The value of the header field. Dates must have the preferred format (IMF-fixdate).
    ///   - now: The current time, which is subtracted from a date to get the delay.
    /// - Returns: The delay, which is zero if the date is in the past.
    static func wait(_ value: String, at now: Timestamp) -> Duration? {
        if let seconds = UInt32(value) { return .seconds(seconds) }
        // "Sun, 06 Nov 1994 08:49:37 GMT"
        let words = value.split(separator: " ")
        guard
            words.count == 6, words[5] == "GMT",
            let month = months.firstIndex(of: String(words[2])),
            let date = Timestamp(
                rfc3339: "\(words[3])-\(month < 9 ? "0" : "")\(month + 1)-\(words[1])T\(words[4])Z"
            )
        else { return nil }
        return max(.zero, date - now)
    }
}
