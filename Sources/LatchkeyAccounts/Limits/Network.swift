import LatchkeyModel
package import LatchkeyServerKit

/// A network whose hosts share their rate limits, as if they were a single client.
///
/// A network is either an IPv4 address or an IPv6 prefix.
///
/// An IPv6 subscriber gets a /64 prefix, or often a /56 or /48, and can use any address in it. We count
/// events for all three prefixes. The shorter prefixes have higher limits because a network with a shorter
/// prefix may contain more than one subscriber.
package struct Network: Hashable, Sendable {
    /// The 4 bytes of an IPv4 address, or the leading bytes of an IPv6 address.
    ///
    /// The IPv6 prefixes /64, /56 and /48 have 8, 7 and 6 bytes.
    package let prefix: [UInt8]

    /// The ratio of this network's limits to the limits for a single address.
    ///
    /// The ratio is 1 for an IPv4 address or a /64, 2 for a /56, and 4 for a /48.
    package let allowance: Int

    /// Returns all networks that contain an address, from smallest to largest.
    ///
    /// An IPv4 address has one network, and an IPv6 address has three.
    package static func all(of peer: PeerAddress) -> [Network] {
        let narrowest = peer.address.network
        let network = Network(prefix: narrowest, allowance: 1)
        guard !peer.address.isIPv4 else { return [network] }
        return [
            network,
            Network(prefix: Array(narrowest.prefix(7)), allowance: 2),
            Network(prefix: Array(narrowest.prefix(6)), allowance: 4),
        ]
    }
}

extension Network: CustomStringConvertible {
    /// The IPv4 address or the IPv6 prefix with its length, such as `192.0.2.1` or `2001:db8:0:1::/64`.
    package var description: String {
        IPAddress.text(ofPrefix: prefix, isIPv4: prefix.count == 4)
    }
}
