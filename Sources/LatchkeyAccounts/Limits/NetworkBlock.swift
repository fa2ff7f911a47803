package import LatchkeyServerKit

/// A part of the internet that belongs to few providers: an IPv4 /16 or an IPv6 /32.
///
/// An attacker can rent addresses in one block by the hundred, but hardly in many blocks.
package struct NetworkBlock: Hashable, Sendable {
    /// The first two bytes of an IPv4 address, or the first four bytes of an IPv6 address.
    package let prefix: [UInt8]

    /// Creates the block that contains an address.
    package init(of peer: PeerAddress) {
        prefix = Array(peer.address.bytes.prefix(peer.address.isIPv4 ? 2 : 4))
    }
}

extension NetworkBlock: CustomStringConvertible {
    /// The prefix with its length, such as `198.51.0.0/16` or `2001:db8::/32`.
    package var description: String {
        IPAddress.text(ofPrefix: prefix, isIPv4: prefix.count == 2)
    }
}
