/// The destination of an outgoing request: a URL, split into the parts that a request needs.
package struct OutgoingAddress: Hashable, Sendable {
    /// Scheme, host and port, such as `https://sms.example.com:8443`.
    package let origin: String

    /// The path, with a leading slash; `/` if the URL has none.
    package let path: String

    /// The query without the question mark; `nil` if the URL has none.
    package let query: String?

    /// The host without brackets and port.
    package var host: String {
        let authority = origin.drop { $0 != "/" }.dropFirst(2)
        if authority.first == "[" { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    /// Parses an `http` or `https` URL.
    ///
    /// - Parameter url: The URL. The result is `nil` if it contains user information, a fragment, a
    ///   backslash, white space or non-ASCII characters, or if its port is not a number from 1 to 65535.
    package init?(_ url: String) {
        let scheme = ["https://", "http://"].first { url.lowercased().hasPrefix($0) }
        guard
            let scheme,
            url.utf8.allSatisfy({
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\")
            })
        else { return nil }
        let rest = url.dropFirst(scheme.count)
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        guard !host.contains("@"), Self.hasValidPort(host) else { return nil }
        let target = rest.dropFirst(host.count)
        let path = target.prefix { $0 != "?" }
        origin = scheme + host
        self.path = path.isEmpty ? "/" : String(path)
        query = target.count > path.count ? String(target.dropFirst(path.count + 1)) : nil
    }

    /// Returns whether an authority consists of a host, which may be an IPv6 address in brackets, and an optional
    /// port from 1 to 65535.
    private static func hasValidPort(_ authority: Substring) -> Bool {
        var rest = authority
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return false }
            rest = authority[authority.index(after: end)...]
        } else {
            rest = authority.drop { $0 != ":" }
            guard rest.startIndex != authority.startIndex else { return false }
        }
        guard !rest.isEmpty else { return true }
        guard rest.hasPrefix(":"), rest.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }) else {
            return false
        }
        return UInt16(rest.dropFirst()).map { $0 > 0 } ?? false
    }
}
