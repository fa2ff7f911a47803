package import LatchkeyWire

/// A middleware that replaces a proxy's address with the client's address, which trusted proxies forward in a
/// header field.
///
/// The field is read from the right: each proxy appends the address of its caller, so the first address that
/// does not belong to a trusted proxy is the client's. Text further left may come from the client. Only the
/// configured field is read. If an element cannot be parsed or contains no address, the address of the
/// connection is used.
package struct ForwardedHeaderMiddleware: HTTPHandler {
    private let handler: any HTTPHandler
    private let trusted: [AddressRange]
    private let field: ProxyHeader
    private let notice: UntrustedProxyNotice?

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - handler: The next responder.
    ///   - proxies: The trusted proxies, as addresses and ranges.
    ///   - field: The field in which the proxies forward the address.
    ///   - notice: Called with every request from a peer that is not a trusted proxy, to warn about
    ///     forwarding fields that an unlisted proxy has set.
    package init(
        _ handler: any HTTPHandler,
        trusting proxies: [String],
        in field: ProxyHeader = .xForwardedFor,
        notice: UntrustedProxyNotice? = nil
    ) {
        self.handler = handler
        trusted = proxies.compactMap { AddressRange($0) }
        self.field = field
        self.notice = notice
    }

    /// Calls the next responder with the address of the client, and leaves the header fields unchanged.
    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        await handler.respond(to: request, from: client(of: request, from: peer))
    }

    /// Returns the address of the client that sent a request.
    ///
    /// The port of a forwarded address is 0. At most 32 elements of the field are read.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - peer: The address of the connection.
    /// - Returns: `peer` if it is not trusted, or if the field is missing or cannot be parsed.
    package func client(of request: HTTP.Request, from peer: PeerAddress) -> PeerAddress {
        guard isTrusted(peer) else {
            notice?.note(request, from: peer)
            return peer
        }
        var client = peer
        for host in ForwardedAddresses(request.headers, field: field) {
            // Text that is not an address must not become a rate limit key.
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
