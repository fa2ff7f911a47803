import LatchkeyServerCore
import LatchkeyWire

/// Takes the client's address from what the proxies say when the connection comes from one that is trusted.
///
/// Read from the right: each proxy adds whom it was called by, and the first that is no trusted one is the client.
/// What stands to the left of it is the client's own word. Only the header that the proxies write is read: of another,
/// which they pass on, everything would be the client's word.
struct ForwardedPeer: HTTPHandler {
    private let handler: any HTTPHandler
    private let trusted: [AddressRange]
    private let field: ServerConfiguration.ProxyHeader

    init(
        _ handler: any HTTPHandler,
        trusting proxies: [String],
        in field: ServerConfiguration.ProxyHeader = .xForwardedFor
    ) {
        self.handler = handler
        trusted = proxies.compactMap { AddressRange($0) }
        self.field = field
    }

    func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        await handler.respond(to: request, from: client(of: request, from: peer))
    }

    private func client(of request: HTTPRequest, from peer: PeerAddress) -> PeerAddress {
        var client = peer
        guard isTrusted(client) else { return client }
        for host in ForwardedHops.hosts(in: request.headers, field).reversed() {
            // What is no address must not become a name for limits.
            guard isTrusted(client), AddressRange(host) != nil, !host.contains("/") else { break }
            client = PeerAddress(host: host, port: 0)
        }
        return client
    }

    private func isTrusted(_ peer: PeerAddress) -> Bool {
        trusted.contains { $0.contains(peer.host) }
    }
}
