package import LatchkeyModel
package import LatchkeyWire

/// One request on its way through the server, with what every handler asks about it.
package struct Exchange: Sendable {
    /// The request, its path still with the base path.
    package let request: HTTPRequest

    /// Who asks.
    package let peer: PeerAddress

    /// When the request arrived; a handler reads the clock again only after it has waited.
    package let now: Timestamp

    /// The parts of the path that stand for parameters, percent-encoded, in their order.
    package let parameters: [String]

    /// The query's items.
    package let query: QueryItems

    /// What the request is called in logs and in the audit log; nothing where nobody names requests.
    package let id: String?

    package init(
        _ request: HTTPRequest,
        from peer: PeerAddress,
        at now: Timestamp,
        parameters: [String] = []
    ) {
        self.request = request
        self.peer = peer
        self.now = now
        self.parameters = parameters
        query = QueryItems(request.query)
        id = RequestID.current
    }

    /// The first part of the path that stands for a parameter, percent-encoded; empty on routes without one.
    package var parameter: String { parameters.first ?? "" }

    /// The session token that came with the request: `X-Session-Token`, else `Authorization: Bearer`.
    ///
    /// Cookies carry no sessions here.
    package var sessionToken: Secret? {
        if let token = request.headers["X-Session-Token"], !token.isEmpty { return Secret(token) }
        guard let authorization = request.headers["Authorization"] else { return nil }
        let scheme = authorization.prefix(7)
        guard String(scheme).equalsIgnoringASCIICase("Bearer ") else { return nil }
        let token = authorization.dropFirst(7)
        return token.isEmpty ? nil : Secret(String(token))
    }

    /// The client's own name for the request, which the error envelope echoes; whoever the client is.
    var echoedID: String? {
        request.headers[RequestID.field].flatMap { RequestID.isWellFormed($0) ? $0 : nil }
    }
}
