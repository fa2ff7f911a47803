import LatchkeyWire

/// The syntax of proxy URLs, which consist of a scheme that libcurl supports, optional user information, host
/// and port.
///
/// The user information, which ends with the last `@`, is not parsed.
enum ProxyURL {
    /// The supported schemes in lower case; their comparison ignores case.
    private static let schemes: Set<String> = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// Returns whether a string is a proxy URL.
    ///
    /// A URL with a query or with a path other than `/` is rejected.
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let mark = text.firstRange(of: "://") else {
            return false
        }
        let rest = text[mark.upperBound...]
        let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        // Host and port have the same syntax as in the URL of a web server.
        return schemes.contains(text[..<mark.lowerBound].lowercased())
            && WebAddress("http://\(place)").map { $0.pathPrefix.isEmpty && $0.query == nil } ?? false
    }
}
