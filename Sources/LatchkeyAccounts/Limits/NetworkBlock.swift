package import LatchkeyServerKit

/// A part of the internet that belongs to few providers: an IPv4 /16 or an IPv6 /32.
///
/// An attacker can rent addresses in one block by the hundred, but hardly in many blocks.
package struct NetworkBlock: Hashable, Sendable {
    /// The first two bytes of an IPv4 address, or the first four bytes of an IPv6 address.
    package let prefix: [UInt8]

    /// Creates the block that contains an address.
    package init(of peer: PeerAddress) {
        let network = peer.network
        prefix =
            if peer.isIPv6 {
                Array(network.prefix(4))
            } else {
                network.count == 4 ? Array(network.prefix(2)) : network
            }
    }
}

extension NetworkBlock: CustomStringConvertible {
    /// The prefix with its length, such as `198.51.0.0/16` or `2001:db8::/32`.
    package var description: String {
        switch prefix.count {
        case 2: "\(prefix[0]).\(prefix[1]).0.0/16"
        case 4:
            stride(from: 0, to: 4, by: 2).map { index in
                String(UInt16(prefix[index]) << 8 | UInt16(prefix[index + 1]), radix: 16)
            }.joined(separator: ":") + "::/32"
        default: "another address"
        }
    }
}
