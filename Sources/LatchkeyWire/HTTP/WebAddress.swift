/// A parsed `http` or `https` URL.
///
/// The syntax is stricter than in RFC 3986, because URLs must be ASCII and can't contain user information or
/// a fragment.
package struct WebAddress: Hashable, Sendable {
    /// The scheme, host and port in lower case, such as `https://id.example.com`.
    ///
    /// The port is omitted if it is the scheme's default port.
    package let origin: String

    /// The path with its leading slash, or an empty string if there is no path.
    ///
    /// The path remains percent-encoded. The path isn't normalized, and its case is preserved.
    package let path: String

    /// The query without the question mark, or `nil` if there is none.
    package let query: String?

    /// Whether requests to this address are protected from eavesdroppers, because they use TLS or don't leave
    /// this machine.
    package let isConfidential: Bool

    /// Whether the host is this machine.
    ///
    /// The value is `true` for `localhost`, names ending with `.localhost`, `127.0.0.0/8` and `[::1]`. Host
    /// names are not resolved.
    package let isLoopback: Bool

    /// Parses a URL.
    ///
    /// Returns `nil` if the text isn't a valid URL.
    ///
    /// - Parameter text: The URL. The scheme and the host can be in upper or lower case.
    package init?(_ text: String) {
        // This code runs for every request, so we use bytes rather than characters. Only ASCII is allowed.
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = text[..<colon].lowercased()
        guard scheme == "https" || scheme == "http" else { return nil }
        var rest = bytes[colon...]
        guard rest.starts(with: "://".utf8) else { return nil }
        rest = rest.dropFirst(3)
        guard rest.allSatisfy({ Self.isPlain($0) }) else { return nil }
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        guard let (host, port) = Self.split(text[rest.startIndex..<end].lowercased()) else { return nil }
        let isDefault = port == nil || port == (scheme == "https" ? 443 : 80)
        origin = "\(scheme)://\(host)" + (isDefault ? "" : ":\(port ?? 0)")
        let mark = rest[end...].firstIndex(of: UInt8(ascii: "?"))
        path = String(text[end..<(mark ?? rest.endIndex)])
        query = mark.map { String(text[bytes.index(after: $0)...]) }
        isLoopback = Self.isLoopback(host)
        isConfidential = scheme == "https" || isLoopback
    }

    /// Whether this is just an origin: a scheme, a host and an optional port, with no path or query.
    package var isOrigin: Bool { path.isEmpty && query == nil }

    /// The host, followed by the port unless it is the scheme's default port.
    package var authority: String { String(origin.drop { $0 != "/" }.dropFirst(2)) }

    /// The path without trailing slashes.
    package var pathPrefix: String {
        var path = path[...]
        while path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }

    /// The address without its query and trailing slashes.
    ///
    /// All spellings of a server's address have the same `base`.
    package var base: String { origin + pathPrefix }

    /// Returns `true` if the byte is allowed in a URL after the scheme.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case ...0x20, 0x7F...: false
        case UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "\\"), UInt8(ascii: "\""),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: true
        }
    }

    /// Splits an authority into its host and port.
    ///
    /// Returns `nil` if the host or the port is invalid.
    private static func split(_ authority: String) -> (host: String, port: Int?)? {
        var host = authority[...]
        var port: Int?
        let bytes = authority.utf8
        let bracket = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        if let colon = bytes[bracket...].lastIndex(of: UInt8(ascii: ":")) {
            let digits = authority[bytes.index(after: colon)...]
            guard
                digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(digits), (1...65_535).contains(number)
            else { return nil }
            port = number
            host = authority[..<colon]
        }
        return isHost(host) ? (String(host), port) : nil
    }

    /// Returns `true` if the string is a host name in lower case or an IP address in brackets.
    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") {
            return host.hasSuffix("]") && host.count > 3
                && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        return !host.isEmpty
            && host.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x2E
                    || $0 == 0x5F
            }
    }

    /// Returns `true` if the host is `localhost`, a subdomain of it, `[::1]` or in `127.0.0.0/8`.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
