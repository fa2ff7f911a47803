import LatchkeyCore

/// The form of a proxy's URL: a scheme that libcurl has, a user or not, host and port.
enum ProxyURL {
    private static let schemes: Set<String> = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    static func isValid(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let mark = text.firstRange(of: "://") else {
            return false
        }
        let rest = text[mark.upperBound...]
        let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        // A proxy's address is the same kind of place as a web server's.
        return schemes.contains(text[..<mark.lowerBound].lowercased())
            && WebAddress("http://\(place)").map { $0.pathPrefix.isEmpty && $0.query == nil } ?? false
    }
}
