/// A single IP address or a CIDR range of addresses (RFC 4632, RFC 4291).
package struct AddressRange: Hashable, Sendable {
    private let start: IPAddress
    /// The number of leading bits that all addresses in the range have in common.
    private let length: Int

    /// Parses an address such as `10.0.0.1` or `::1`, or a range such as `10.0.0.0/8`.
    ///
    /// The result is `nil` for any other string.
    ///
    /// Address bits after the prefix are ignored. An IPv4-mapped IPv6 address is converted to IPv4.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let start = IPAddress(String(first)) else { return nil }
        var length = start.isIPv4 ? 32 : 128
        if parts.count == 2 {
            guard
                parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(parts[1]), number <= length
            else { return nil }
            length = number
        }
        self.start = start
        self.length = length
    }

    /// Returns whether the range contains an address.
    ///
    /// An address from the other address family is never in the range.
    package func contains(_ address: IPAddress) -> Bool {
        start.matches(address, bits: length)
    }

    /// Whether the range covers a large part of the internet: at least 1/128 of IPv4 or 1/8 of IPv6.
    ///
    /// No proxy network is that large, so it's a mistake to trust such a range.
    package var coversTheInternet: Bool { length < 8 && start.isIPv4 || length < 4 }
}
