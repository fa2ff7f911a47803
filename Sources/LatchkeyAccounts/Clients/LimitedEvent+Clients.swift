import LatchkeyModel
package import LatchkeyServerKit

extension LimitedEvent {
    /// Returns the events of a client that fails to authenticate or to redeem a code, one for each network
    /// that contains the peer.
    ///
    /// Failures are counted per network, so an attacker can't lock a client out on its own network. Unknown
    /// ids are counted in the same way as those of clients.
    package static func failures(ofClient id: String, from peer: PeerAddress) -> [LimitedEvent] {
        Network.all(of: peer).map { network in
            LimitedEvent(
                "client failure",
                of: Self.pair(network.prefix, and: Array(id.utf8)),
                metric: .failuresPerClient,
                from: .network(network)
            ) { $0.failuresPerClient.multiplied(by: network.allowance) }
        }
    }
}
