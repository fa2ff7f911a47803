/// A parsed `http` or `https` URL.
///
/// The syntax is stricter than in RFC 3986, because the URL can't contain user information. The authority
/// ends at the first slash, question mark or number sign, so an `@` is user information only before it.
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
    /// Returns `nil` if the text isn't a valid URL, or if it has a fragment.
    ///
    /// - Parameter text: The URL. The scheme and the host can be in upper or lower case.
    package init?(_ text: String) {
        do throws(WebAddressError) {
            try self.init(parsing: text)
        } catch {
            return nil
        }
    }

    /// Parses a URL.
    ///
    /// - Parameters:
    ///   - text: The URL. The scheme and the host can be in upper or lower case.
    ///   - dropsFragment: Whether a fragment is dropped. If this is `false`, a URL with a fragment is
    ///     invalid.
    /// - Throws: ``WebAddressError`` if the text isn't a valid URL.
    package init(parsing text: String, dropsFragment: Bool = false) throws(WebAddressError) {
        // This code runs for every request, so we use bytes rather than characters. Only ASCII is allowed.
        let bytes = text.utf8
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .whiteSpace }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].starts(with: "://".utf8), colon != bytes.startIndex
        else { throw .noScheme }
        let scheme = text[..<colon].lowercased()
        guard scheme == "https" || scheme == "http" else { throw .unknownScheme }
        var rest = bytes[colon...].dropFirst(3)
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            guard dropsFragment else { throw .fragment }
            rest = rest[..<hash]
        }
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        let (host, port) = try Self.split(text[rest.startIndex..<end])
        try Self.check(rest[end...])
        let isDefault = port == nil || port == (scheme == "https" ? 443 : 80)
        origin = "\(scheme)://\(host)" + (isDefault ? "" : ":\(port ?? 0)")
        let mark = rest[end...].firstIndex(of: UInt8(ascii: "?"))
        path = String(text[end..<(mark ?? rest.endIndex)])
        query = mark.map { String(text[bytes.index(after: $0)..<rest.endIndex]) }
        isLoopback = Self.isLoopback(host)
        isConfidential = scheme == "https" || isLoopback
    }

    /// Parses an origin: a scheme, a host and an optional port, with no path or query.
    ///
    /// - Parameter text: The origin. The scheme and the host can be in upper or lower case.
    /// - Throws: ``WebAddressError`` if the text isn't an origin.
    package init(origin text: String) throws(WebAddressError) {
        try self.init(parsing: text)
        guard path.isEmpty, query == nil else { throw .notOrigin }
    }

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

    /// Checks the syntax of a path, a query, or a path followed by a query.
    ///
    /// - Throws: ``WebAddressError`` if it contains a byte that must be percent-encoded, or a `%` without two
    ///   hexadecimal digits.
    package static func check(_ bytes: some Collection<UInt8>) throws(WebAddressError) {
        var digitsLeft = 0
        for byte in bytes {
            switch byte {
            case ...0x20, 0x7F: throw .whiteSpace
            case 0x80...: throw .notASCII
            case UInt8(ascii: "#"): throw .fragment
            case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                throw .character
            case _ where digitsLeft > 0:
                guard isHexDigit(byte) else { throw .percentEncoding }
                digitsLeft -= 1
            case UInt8(ascii: "%"): digitsLeft = 2
            default: continue
            }
        }
        guard digitsLeft == 0 else { throw .percentEncoding }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    /// Splits an authority into its host, in lower case, and its port.
    private static func split(
        _ authority: Substring
    ) throws(WebAddressError) -> (host: String, port: Int?) {
        guard !authority.utf8.contains(UInt8(ascii: "@")) else { throw .userInformation }
        // Some characters outside of ASCII have ASCII letters as their lower case.
        guard authority.utf8.allSatisfy({ $0 < 0x80 }) else { throw .hostNotASCII }
        let authority = authority.lowercased()
        var host = authority[...]
        var port: Int?
        let bytes = authority.utf8
        let bracket = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        if let colon = bytes[bracket...].lastIndex(of: UInt8(ascii: ":")) {
            let digits = authority[bytes.index(after: colon)...]
            guard
                digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(digits), (1...65_535).contains(number)
            else { throw .port }
            port = number
            host = authority[..<colon]
        }
        guard !host.isEmpty else { throw .noHost }
        guard isHost(host) else { throw .host }
        return (String(host), port)
    }

    /// Returns `true` if the string is a host name in lower case or an IP address in brackets.
    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") {
            return host.hasSuffix("]") && host.count > 3
                && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        return host.utf8.allSatisfy {
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
