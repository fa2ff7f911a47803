import LatchkeyModel

/// The `Retry-After` header field (RFC 9110, section 10.2.3).
enum RetryAfter {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses a number of seconds or a date and returns the delay; `nil` for any other text.
    ///
    /// - Parameters:
    ///   - value: The value of the field, in which only the preferred date format (IMF-fixdate) is supported.
    ///   - now: The current time, from which the delay to a date is computed.
    /// - Returns: The delay; zero for a date in the past.
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
