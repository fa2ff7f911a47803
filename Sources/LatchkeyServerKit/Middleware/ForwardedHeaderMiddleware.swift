package import LatchkeyWire

/// A middleware that replaces a proxy's address with the client address that trusted proxies forward in a
/// header field.
///
/// Each proxy appends the address of its caller, so we read the field from right to left. The first address
/// that doesn't belong to a trusted proxy is used as the client address. Anything further to the left may
/// have been made up by the client. Only the configured field is read, and its empty elements are skipped. If
/// an element that a trusted proxy has added can't be parsed or doesn't contain an address, the middleware
/// falls back to the address of the connection: the elements further to the left may be forged, so they must
/// not give the client a rate limit of its own.
package struct ForwardedHeaderMiddleware: HTTPHandler {
    private let handler: any HTTPHandler
    private let trusted: [AddressRange]
    private let field: ProxyHeader
    private let notice: UntrustedProxyNotice?

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - handler: The next responder.
    ///   - proxies: The addresses and address ranges of the trusted proxies.
    ///   - field: The header field that contains the client's address.
    ///   - notice: Warns when a forwarding field was set by a proxy that isn't listed as trusted. This
    ///     closure receives every request from a peer that isn't a trusted proxy.
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

    /// Calls the next responder with the client's address.
    ///
    /// The header fields aren't changed.
    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        await handler.respond(to: request, from: client(of: request, from: peer))
    }

    /// Returns the address of the client that sent a request.
    ///
    /// A forwarded address has no port. At most 32 elements of the header field are read.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - peer: The address of the connection.
    /// - Returns: The client's address. If the peer isn't trusted, or if the field is missing or can't be
    ///   parsed, this is `peer`.
    package func client(of request: HTTP.Request, from peer: PeerAddress) -> PeerAddress {
        guard isTrusted(peer) else {
            notice?.note(request, from: peer)
            return peer
        }
        var client = peer
        for address in ForwardedAddresses(request.headers, field: field) {
            guard let address else { return peer }
            client = PeerAddress(address)
            guard isTrusted(client) else { return client }
        }
        return client
    }

    private func isTrusted(_ peer: PeerAddress) -> Bool {
        trusted.contains { $0.contains(peer.address) }
    }
}
