/// The list of URLs that a flow may send the user to.
///
/// The list prevents open redirects. A URL is rejected if browsers and servers might parse it differently.
struct ReturnURLs {
    /// The parts of a URL that determine whether it is in the list.
    ///
    /// Queries and fragments are ignored.
    private struct Parts {
        /// The scheme, host and port in lower case, such as `https://app.example.com:8443`.
        let origin: String
        /// The path as written, without percent-decoding, or `/` if the path is empty.
        let path: String

        /// Splits a URL into its origin and its path, dropping the query and the fragment.
        ///
        /// - Returns: `nil` if the string is too long, isn't a URL with a scheme and a host, or might be
        ///   parsed differently by browsers and servers.
        init?(_ address: String) {
            guard
                address.utf8.count <= ReturnURLs.byteLimit,
                address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }),
                let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://")
            else { return nil }
            let scheme = address[..<colon]
            let rest = address[address.index(colon, offsetBy: 3)...]
            let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
            let host = rest[..<end]
            guard !scheme.isEmpty, !host.isEmpty, !host.contains("@") else { return nil }
            origin = scheme.lowercased() + "://" + host.lowercased()
            let tail = rest[end...].prefix { $0 != "?" && $0 != "#" }
            path = tail.isEmpty ? "/" : String(tail)
        }
    }

    /// The maximum length of a return URL in bytes.
    ///
    /// URLs are limited because they are stored with the flow.
    static let byteLimit = 512

    private let allowed: [Parts]

    /// Creates the list.
    ///
    /// Entries that cannot be parsed or are longer than ``byteLimit`` are ignored.
    init(_ addresses: [String]) {
        allowed = addresses.compactMap(Parts.init)
    }

    /// Returns whether a URL has the same origin as an allowed URL, and either the same path or a path below
    /// it.
    ///
    /// Paths are case-sensitive. `/a` allows `/a/b` but not `/ab`. Paths with a `..` segment are never
    /// allowed.
    func contains(_ address: String) -> Bool {
        guard let parts = Parts(address), !Self.climbs(parts.path) else { return false }
        return allowed.contains { $0.origin == parts.origin && Self.leads($0.path, to: parts.path) }
    }

    /// Returns whether a path has a `..` segment.
    ///
    /// This also detects segments that are percent-encoded (even more than once), that are followed by a
    /// semicolon and parameters, or that are separated by backslashes.
    private static func climbs(_ path: String) -> Bool {
        var path = path.lowercased()
        for _ in 0..<mostEscapes {
            let parts = path.split { $0 == "/" || $0 == "\\" }
            if parts.contains(where: { $0.prefix { $0 != ";" } == ".." }) { return true }
            var decoded = path
            for item in escapes { decoded.replace(item.escape, with: item.text) }
            if decoded == path { return false }
            path = decoded
        }
        return true
    }

    /// The maximum number of decoding rounds.
    ///
    /// Paths that are still encoded after the last round are rejected.
    private static let mostEscapes = 4

    /// The escapes that a decoding round replaces.
    ///
    /// `%25` comes last, so that each round decodes only one level.
    private static let escapes: [(escape: String, text: String)] = [
        ("%2e", "."), ("%2f", "/"), ("%5c", "\\"), ("%3b", ";"), ("%25", "%"),
    ]

    /// Returns whether `path` is equal to `start` or below it.
    private static func leads(_ start: String, to path: String) -> Bool {
        path == start || path.hasPrefix(start.hasSuffix("/") ? start : start + "/")
    }
}
