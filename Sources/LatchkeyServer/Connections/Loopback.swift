import LatchkeyServerKit

/// Checks whether addresses are loopback addresses.
enum Loopback {
    private static let ranges = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    /// Returns whether an address is a loopback address.
    static func contains(_ address: IPAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }

    /// Returns whether a host is a loopback address or the name `localhost`.
    ///
    /// Other names are not resolved, so this method returns `false` for them, including names that only
    /// look like an address, such as `127.0.0.1.example.com`.
    static func contains(_ host: String) -> Bool {
        host.lowercased() == "localhost" || IPAddress(host).map(contains) ?? false
    }

    /// Returns whether a host with an optional port, such as `localhost:4434` or `[::1]`, is this machine.
    static func contains(authority: String) -> Bool {
        let isBracketed = authority.hasPrefix("[")
        let host = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        let rest = authority.dropFirst(host.count + (isBracketed ? 2 : 0))
        let isEnd = rest.isEmpty && (!isBracketed || authority.hasSuffix("]"))
        let isPort = rest.hasPrefix(":") && rest.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
        return (isEnd || isPort) && host.contains(":") == isBracketed && contains(String(host))
    }
}
