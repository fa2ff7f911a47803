import LatchkeyServerKit

/// A client network.
///
/// All connections from a network are counted together and share a limit.
///
/// IPv6 subscribers usually have at least 2^64 addresses, and often 2^80. A /64 network may have as many
/// connections as a single client, and a /48 network may have twice as many.
struct ClientNetwork: Hashable {
    /// The prefix lengths of the IPv6 networks that are limited, with the ``share`` for each.
    private static let sizes: [(bits: Int, share: Int)] = [(64, 1), (48, 2)]

    private let bits: Int
    private let start: IPAddress

    /// The factor by which the limit for a single client is multiplied.
    let share: Int

    /// Returns the networks that contain an address.
    static func all(of address: IPAddress) -> [ClientNetwork] {
        sizes.map { size in
            ClientNetwork(bits: size.bits, start: address.startOfNetwork(bits: size.bits), share: size.share)
        }
    }
}
