package import LatchkeyModel

/// A network that limits count as one: an IPv4 address, or a prefix of an IPv6 address.
///
/// An IPv6 subscriber gets 64 bits at the least and often 56 or 48, and can pick any address below them. All three are
/// counted, with more room for the wider ones because they can hold more than one subscriber.
package struct Network: Hashable, Sendable {
    /// The 4 bytes of an IPv4 address, or the leading bytes of an IPv6 address.
    package let prefix: [UInt8]

    /// How many times the limit of a single address holds for this network.
    package let allowance: Int

    /// All networks that an address belongs to, the narrowest first.
    package static func all(of peer: PeerAddress) -> [Network] {
        let narrowest = peer.network
        guard narrowest.count == 8, peer.isIPv6 else { return [Network(prefix: narrowest, allowance: 1)] }
        return [
            Network(prefix: narrowest, allowance: 1),
            Network(prefix: Array(narrowest.prefix(7)), allowance: 2),
            Network(prefix: Array(narrowest.prefix(6)), allowance: 4),
        ]
    }
}
