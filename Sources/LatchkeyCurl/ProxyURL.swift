import LatchkeyWire

/// Validates proxy URLs.
///
/// A proxy URL consists of a scheme that libcurl supports, optional user information, a host and a port.
///
/// The user information extends to the last `@` and is not parsed.
enum ProxyURL {
    /// The supported schemes in lowercase.
    ///
    /// Schemes are compared case-insensitively.
    private static let schemes: Set<String> = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// Returns whether a string is a valid proxy URL.
    ///
    /// URLs with a query or with a path other than `/` are rejected.
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let mark = text.firstRange(of: "://") else {
            return false
        }
        let rest = text[mark.upperBound...]
        let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        // The host and port have the same syntax as in a web server's URL.
        return schemes.contains(text[..<mark.lowerBound].lowercased())
            && WebAddress("http://\(place)").map { $0.pathPrefix.isEmpty && $0.query == nil } ?? false
    }
}
