/// Where the server sends a request: a URL in the parts that a request has.
package struct OutgoingAddress: Hashable, Sendable {
    /// Scheme, host and port.
    package let origin: String

    /// The path, with a leading slash.
    package let path: String

    /// The query, without the question mark.
    package let query: String?

    /// The host, without brackets and port.
    package var host: String {
        let authority = origin.drop { $0 != "/" }.dropFirst(2)
        if authority.first == "[" { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    /// Reads a URL with the scheme `http` or `https`; nothing when it names a user or holds what no URL may.
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
