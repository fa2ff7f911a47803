/// The addresses that a flow may send people to.
struct ReturnURLs {
    private struct Parts {
        let origin: String
        let path: String

        /// Splits an address that has a scheme and a host; anything that browsers read in two ways has no parts.
        init?(_ address: String) {
            guard
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

    private let allowed: [Parts]

    init(_ addresses: [String]) {
        allowed = addresses.compactMap(Parts.init)
    }

    func contains(_ address: String) -> Bool {
        guard let parts = Parts(address), !parts.path.contains("/..") else { return false }
        return allowed.contains { $0.origin == parts.origin && Self.leads($0.path, to: parts.path) }
    }

    private static func leads(_ start: String, to path: String) -> Bool {
        path == start || path.hasPrefix(start.hasSuffix("/") ? start : start + "/")
    }
}
