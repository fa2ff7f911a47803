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
    ///   backslash, white space or non-ASCII characters.
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
        guard !host.isEmpty, !host.hasPrefix(":"), !host.contains("@") else { return nil }
        let target = rest.dropFirst(host.count)
        let path = target.prefix { $0 != "?" }
        origin = scheme + host
        self.path = path.isEmpty ? "/" : String(path)
        query = target.count > path.count ? String(target.dropFirst(path.count + 1)) : nil
    }
}
