/// The addresses to which a flow may send its user.
struct ReturnURLs {
    private struct Parts {
        let origin: String
        let path: String

        /// Splits an address that has a scheme and a host.
        ///
        /// - Returns: `nil` for an address that browsers and servers read in different ways.
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

    /// The most bytes of an address: it is stored with the flow.
    static let byteLimit = 512

    private let allowed: [Parts]

    init(_ addresses: [String]) {
        allowed = addresses.compactMap(Parts.init)
    }

    func contains(_ address: String) -> Bool {
        guard let parts = Parts(address), !Self.climbs(parts.path) else { return false }
        return allowed.contains { $0.origin == parts.origin && Self.leads($0.path, to: parts.path) }
    }

    /// Whether a path has a part that may lead up, however it is spelled: with escapes or escapes of escapes, with
    /// parameters behind a semicolon, or with other separators than `/`.
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

    /// How often a path may be escaped; a deeper one is refused unread.
    private static let mostEscapes = 4

    private static let escapes: [(escape: String, text: String)] = [
        ("%2e", "."), ("%2f", "/"), ("%5c", "\\"), ("%3b", ";"), ("%25", "%"),
    ]

    private static func leads(_ start: String, to path: String) -> Bool {
        path == start || path.hasPrefix(start.hasSuffix("/") ? start : start + "/")
    }
}
