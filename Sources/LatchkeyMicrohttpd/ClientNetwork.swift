import CMicrohttpdShim
import Glibc

/// A client network whose connections are counted together and share one limit.
///
/// An IPv6 subscriber usually has at least 2^64 addresses, and often 2^80. A /64 network may have as many
/// connections as one client, and a /48 as many as two.
struct ClientNetwork: Hashable {
    /// The prefix lengths of the counted IPv6 networks, each with its ``share``.
    private static let sizes: [(bits: Int32, share: Int)] = [(64, 1), (48, 2)]

    private let bits: Int32
    private let prefix: UInt64

    /// The factor by which the limit for one client is multiplied.
    let share: Int

    /// Returns the networks that an address belongs to.
    static func all(of address: UnsafePointer<sockaddr>?) -> [ClientNetwork] {
        guard let address else { return [] }
        return sizes.map { size in
            ClientNetwork(
                bits: size.bits,
                prefix: latchkey_network(address, size.bits),
                share: size.share
            )
        }
    }
}
