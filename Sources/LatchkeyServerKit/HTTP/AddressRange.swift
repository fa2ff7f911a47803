#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A single IP address or a CIDR range of addresses (RFC 4632, RFC 4291).
package struct AddressRange: Hashable, Sendable {
    private let bytes: [UInt8]
    private let length: Int

    /// Parses an address such as `10.0.0.1` or `::1`, or a range such as `10.0.0.0/8`.
    ///
    /// The result is `nil` for any other string.
    ///
    /// Address bits after the prefix are ignored. An IPv4-mapped IPv6 address is converted to IPv4.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let bytes = Self.bytes(of: String(first)) else { return nil }
        var length = bytes.count * 8
        if parts.count == 2 {
            guard
                parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(parts[1]), number <= length
            else { return nil }
            length = number
        }
        self.bytes = bytes
        self.length = length
    }

    /// Returns whether a string is a single IPv4 or IPv6 address, without a port, brackets or zone.
    package static func isAddress(_ text: String) -> Bool {
        // The C function would stop parsing at a NUL.
        !text.utf8.contains(0) && bytes(of: text) != nil
    }

    /// Returns whether the range contains an address.
    ///
    /// If the string isn't an address, the result is `false`.
    ///
    /// An IPv4-mapped IPv6 address is treated as an IPv4 address.
    ///
    /// An address from the other address family is never in the range.
    package func contains(_ host: String) -> Bool {
        guard let other = Self.bytes(of: host), other.count == bytes.count else { return false }
        let whole = length / 8
        guard other.prefix(whole) == bytes.prefix(whole) else { return false }
        let rest = length % 8
        guard rest > 0 else { return true }
        return other[whole] >> (8 - rest) == bytes[whole] >> (8 - rest)
    }

    /// Whether the range covers a large part of the internet: at least 1/128 of IPv4 or 1/8 of IPv6.
    ///
    /// No proxy network is that large, so it's a mistake to trust such a range.
    package var coversTheInternet: Bool { length < 8 && bytes.count == 4 || length < 4 }

    private static func bytes(of text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
    }
}
