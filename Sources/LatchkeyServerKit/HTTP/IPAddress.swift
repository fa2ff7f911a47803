#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An IPv4 or IPv6 address, without a port, brackets or a zone.
///
/// An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) is the IPv4 address: a listener on `::` sees IPv4 clients
/// with such addresses.
package struct IPAddress: Hashable, Sendable {
    /// The first half of the address, which is 0 for IPv4.
    private let high: UInt64
    /// The second half of the address.
    ///
    /// An IPv4 address is stored as an IPv4-mapped one.
    private let low: UInt64

    /// The address `127.0.0.1`.
    package static let loopback = IPAddress(high: 0, low: 0xFFFF_7F00_0001)

    /// The IPv6 address `::`, which no client has.
    package static let unspecified = IPAddress(high: 0, low: 0)

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an address from its 4 or 16 bytes.
    ///
    /// The result is `nil` for any other number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        func number(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self.init(high: 0, low: 0xFFFF << 32 | number(bytes))
        case 16: self.init(high: number(bytes.prefix(8)), low: number(bytes.dropFirst(8)))
        default: return nil
        }
    }

    /// Parses an address.
    ///
    /// The result is `nil` for any other string.
    package init?(_ text: String) {
        // The C function would stop parsing at a NUL.
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: four) { Array($0) })
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(bytes: withUnsafeBytes(of: six) { Array($0) })
        } else {
            return nil
        }
    }

    /// Whether this is an IPv4 address.
    package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The 4 or 16 bytes of the address.
    package var bytes: [UInt8] {
        func bytes(_ number: UInt64, count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
        }
        return isIPv4 ? bytes(low, count: 4) : bytes(high, count: 8) + bytes(low, count: 8)
    }

    /// The network that the address belongs to: 4 bytes for IPv4, or 8 bytes for IPv6.
    ///
    /// Rate limits treat all requests from the same network as one client. For IPv6, it's the first half of
    /// the address, because providers usually assign a whole /64 to each subscriber.
    package var network: [UInt8] { isIPv4 ? bytes : Array(bytes.prefix(8)) }

    /// Returns the first address of the IPv6 network that consists of the given number of bits, at most 64.
    ///
    /// An IPv4 address is its own network.
    package func startOfNetwork(bits: Int) -> IPAddress {
        isIPv4 ? self : IPAddress(high: high & ~(UInt64.max >> UInt64(bits)), low: 0)
    }

    /// Returns whether two addresses have the same family and the same leading bits.
    func matches(_ other: IPAddress, bits: Int) -> Bool {
        guard isIPv4 == other.isIPv4 else { return false }
        let bits = isIPv4 ? bits + 96 : bits
        // Shifting by 64 bits or more results in 0.
        return (high ^ other.high) >> (64 - min(bits, 64)) == 0
            && (low ^ other.low) >> (128 - max(bits, 64)) == 0
    }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical text of the address, such as `192.0.2.1` or `2001:db8::1` (RFC 5952).
    package var description: String {
        let bytes = bytes
        guard !isIPv4 else { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard let zeros = Self.longestZeros(in: groups) else { return text(0..<8) }
        return text(0..<zeros.lowerBound) + "::" + text(zeros.upperBound..<8)
    }

    /// Returns the canonical text of the network whose addresses begin with the given bytes, such as
    /// `2001:db8::/32`, or of the only address if all bytes are given.
    package static func text(ofPrefix prefix: [UInt8], isIPv4: Bool) -> String {
        let missing = max(0, (isIPv4 ? 4 : 16) - prefix.count)
        let start = IPAddress(bytes: prefix + Array(repeating: 0, count: missing))
        return (start?.description ?? "") + (missing == 0 ? "" : "/\(prefix.count * 8)")
    }

    /// Returns the first of the longest runs of at least two zeros, or `nil` if there is none.
    private static func longestZeros(in groups: [UInt16]) -> Range<Int>? {
        var longest: Range<Int>?
        var start = 0
        for (index, group) in groups.enumerated() {
            guard group == 0 else {
                start = index + 1
                continue
            }
            if index - start >= max(1, longest?.count ?? 0) { longest = start..<(index + 1) }
        }
        return longest
    }
}
