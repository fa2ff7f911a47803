package import LatchkeyServerCore
package import LatchkeyWire

/// Replaces a proxy's address with the client's, which trusted proxies write into a header field.
///
/// The field is read from the right: each proxy adds the address that called it, and the first one that is not a trusted
/// proxy's is the client. Text to the left of it may come from the client. Only the field that the proxies write is read.
/// An element that cannot be read, or that names no address, leaves the connection's own address in place.
package struct ForwardedPeer: HTTPHandler {
    private let handler: any HTTPHandler
    private let trusted: [AddressRange]
    private let field: ServerConfiguration.ProxyHeader
    private let notice: UntrustedProxyNotice?

    /// Puts the handler behind proxies.
    ///
    /// - Parameters:
    ///   - handler: Answers the requests.
    ///   - proxies: The addresses and ranges of trusted proxies.
    ///   - field: The field that they write.
    ///   - notice: Is told about such fields from other peers.
    package init(
        _ handler: any HTTPHandler,
        trusting proxies: [String],
        in field: ServerConfiguration.ProxyHeader = .xForwardedFor,
        notice: UntrustedProxyNotice? = nil
    ) {
        self.handler = handler
        trusted = proxies.compactMap { AddressRange($0) }
        self.field = field
        self.notice = notice
    }

    package func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        await handler.respond(to: request, from: client(of: request, from: peer))
    }

    /// Returns the address that a request came from.
    package func client(of request: HTTPRequest, from peer: PeerAddress) -> PeerAddress {
        guard isTrusted(peer) else {
            notice?.note(request, from: peer)
            return peer
        }
        var client = peer
        for host in ForwardedHops(request.headers, field: field) {
            // Text that is no address must not become a key of the limits.
            guard let host else { return peer }
            client = PeerAddress(host: host, port: 0)
            guard isTrusted(client) else { return client }
        }
        return client
    }

    private func isTrusted(_ peer: PeerAddress) -> Bool {
        trusted.contains { $0.contains(peer.host) }
    }
}
