package import LatchkeyModel
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

    /// Returns the events of a peer that requests public information, one for each network that contains it.
    package static func publicReads(from peer: PeerAddress) -> [LimitedEvent] {
        Network.all(of: peer).map { network in
            LimitedEvent("public read", of: network, metric: .publicReadsPerAddress) {
                $0.publicReadsPerAddress
            }
        }
    }

    /// Returns the events of a peer that asks whether an identifier has an account, one for each network that
    /// contains it.
    package static func identifierStatus(from peer: PeerAddress) -> [LimitedEvent] {
        Network.all(of: peer).map { network in
            LimitedEvent("identifier status", of: network, metric: .identifierStatus) {
                $0.identifierStatusPerAddress
            }
        }
    }

    /// A device asks with a proof of its key whether an identifier has an account.
    package static func identifierStatus(ofKey thumbprint: [UInt8]) -> LimitedEvent {
        LimitedEvent("identifier status by key", of: thumbprint, metric: .identifierStatus) {
            $0.identifierStatusPerKey
        }
    }

    /// Returns the events of a client that pushes an authorization request.
    package static func pushedRequests(ofClient id: String, from peer: PeerAddress) -> [LimitedEvent] {
        Network.all(of: peer).map { network in
            LimitedEvent(
                "pushed request",
                of: Self.pair(network.prefix, and: Array(id.utf8)),
                metric: .pushedRequestsPerClient,
                from: .network(network)
            ) { $0.pushedRequestsPerClient.multiplied(by: network.allowance) }
        }
    }

    /// A session opens an authorization request of another app.
    package static func approval(_ session: Identifier) -> LimitedEvent {
        LimitedEvent("approval", of: session.bytes, metric: .approvalsPerSession) {
            $0.approvalsPerSession
        }
    }

    /// Returns the events of a session that is handed over to another client, one for the session and one for each
    /// network that contains the peer.
    package static func handovers(of session: Identifier, from peer: PeerAddress) -> [LimitedEvent] {
        let ofSession = LimitedEvent("handover", of: session.bytes, metric: .handoversPerSession) {
            $0.handoversPerSession
        }
        return [ofSession]
            + Network.all(of: peer).map { network in
                LimitedEvent("handover from network", of: network, metric: .handoversPerAddress) {
                    $0.handoversPerAddress
                }
            }
    }
}
