/// A parsed `http` or `https` address.
///
/// The syntax is stricter than RFC 3986: it allows no user information, no fragment and only ASCII.
package struct WebAddress: Hashable, Sendable {
    /// Scheme, host and port in lower case, such as `https://id.example.com`; the scheme's default port is
    /// omitted.
    package let origin: String

    /// The path with its leading slash; empty if there is none.
    ///
    /// It remains percent-encoded and is neither normalized nor changed to lower case.
    package let path: String

    /// The query without the question mark, or `nil` if there is none.
    package let query: String?

    /// Whether requests to the address are encrypted or do not leave this machine.
    package let isConfidential: Bool

    /// Whether the host is this machine.
    ///
    /// True for `localhost`, names that end in `.localhost`, `127.0.0.0/8` and `[::1]`. Host names are not
    /// resolved.
    package let isLoopback: Bool

    /// Parses an address; the result is `nil` for any other text.
    ///
    /// - Parameter text: The address; its scheme and host may be in upper case.
    package init?(_ text: String) {
        // Runs for every request, so it works on bytes rather than characters; only ASCII is accepted.
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

    /// Whether the address is an origin: scheme, host and port, without a path and a query.
    package var isOrigin: Bool { path.isEmpty && query == nil }

    /// The path without trailing slashes.
    package var pathPrefix: String {
        var path = path[...]
        while path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }

    /// The address without trailing slashes and query, which is the same for all spellings of a server's
    /// address.
    package var base: String { origin + pathPrefix }

    /// Returns whether a byte is allowed in an address after its scheme.
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

    /// Returns the host and port of an authority, or `nil` if one of them is invalid.
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

    /// Returns whether a string is a bracketed IP address or a host name in lower case.
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

    /// Returns whether a host is `localhost`, a subdomain of it, `[::1]` or in `127.0.0.0/8`.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
