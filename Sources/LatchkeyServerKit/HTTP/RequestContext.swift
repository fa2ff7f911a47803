package import LatchkeyModel
package import LatchkeyWire

/// The context of a request: the request itself, the client's address, the time of arrival and the parsed
/// parameters.
package struct RequestContext: Sendable {
    /// The request, whose path includes the base path.
    package let request: HTTP.Request

    /// The address of the client.
    package let peer: PeerAddress

    /// The time of arrival, which handlers use instead of the clock unless they have waited since then.
    package let now: Timestamp

    /// The values of the path parameters, percent-encoded, in the order of the path.
    package let parameters: [String]

    /// The parsed items of the query.
    package let query: QueryItems

    /// The id of the request in logs and in the audit log; `nil` if the server does not assign ids.
    package let id: String?

    /// Creates the context of a request with ``RequestID/current`` as its id.
    ///
    /// - Parameters:
    ///   - request: The request, whose path includes the base path.
    ///   - peer: The address of the client.
    ///   - now: The time of arrival.
    ///   - parameters: The values of the path parameters, in the order of the path.
    package init(
        _ request: HTTP.Request,
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

    /// The first path parameter, percent-encoded; empty on routes without one.
    package var parameter: String { parameters.first ?? "" }

    /// The session token of the request, from `X-Session-Token` or, without that field,
    /// `Authorization: Bearer`.
    ///
    /// The server does not read session cookies.
    package var sessionToken: Secret? {
        if let token = request.headers["X-Session-Token"], !token.isEmpty { return Secret(token) }
        guard let authorization = request.headers["Authorization"] else { return nil }
        let scheme = authorization.prefix(7)
        guard String(scheme).equalsIgnoringASCIICase("Bearer ") else { return nil }
        let token = authorization.dropFirst(7)
        return token.isEmpty ? nil : Secret(String(token))
    }

    /// The id that the client assigned to the request, which the error envelope echoes; `nil` if it is
    /// missing or malformed.
    ///
    /// Unlike ``id``, the echoed id is accepted from any client, so it is never logged.
    var echoedID: String? {
        request.headers[RequestID.field].flatMap { RequestID.isWellFormed($0) ? $0 : nil }
    }
}
