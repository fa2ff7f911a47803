/// The destination of an outgoing request: a URL, split into its components.
package struct OutgoingAddress: Hashable, Sendable {
    /// The scheme, host and port, such as `https://sms.example.com:8443`.
    package let origin: String

    /// The path, including its leading slash.
    ///
    /// If the URL has no path, this is `/`.
    package let path: String

    /// The query without the question mark, or `nil` if the URL has no query.
    package let query: String?

    /// The host, without brackets or a port.
    package var host: String {
        let authority = origin.drop { $0 != "/" }.dropFirst(2)
        if authority.first == "[" { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    /// Parses an `http` or `https` URL.
    ///
    /// - Parameter url: The URL to parse. The result is `nil` if the URL contains user information, a
    ///   fragment, a backslash, white space or non-ASCII characters, or if its port isn't a number from 1 to
    ///   65535.
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

    /// Returns whether an authority consists of a host and an optional port from 1 to 65535.
    ///
    /// The host of an authority may be an IPv6 address in brackets.
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
