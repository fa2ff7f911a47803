package import LatchkeyModel
package import LatchkeyWire

/// Everything a handler needs to know about a request, including the client's address and the parsed
/// parameters.
package struct RequestContext: Sendable {
    /// The HTTP request.
    ///
    /// The path of the request includes the base path.
    package let request: HTTP.Request

    /// The address of the client.
    package let peer: PeerAddress

    /// The time at which the request arrived.
    ///
    /// Handlers should use this time instead of reading the clock, unless they have had to wait for something
    /// since the request arrived.
    package let now: Timestamp

    /// The percent-encoded values of the path parameters, in path order.
    package let parameters: [String]

    /// The credentials that the route accepts.
    package let credentials: RouteCredentials

    /// The parsed query parameters.
    package let query: QueryItems

    /// The id that identifies the request in the log and in the audit log, or `nil` if the server doesn't
    /// assign ids.
    package let id: String?

    /// The state of the browser that sent the request to a flow, or `nil` if it isn't a browser.
    package var browser: BrowserState?

    /// The web page that sent the request, or `nil` if the response can't be shared with a page of a client.
    var sharing: ResponseSharing?

    /// Creates a context for a request and uses ``RequestID/current`` as its id.
    ///
    /// - Parameters:
    ///   - request: The HTTP request. The path of the request must include the base path.
    ///   - peer: The address of the client.
    ///   - now: The time at which the request arrived.
    ///   - parameters: The values of the path parameters, in path order.
    ///   - credentials: The credentials that the route accepts.
    package init(
        _ request: HTTP.Request,
        from peer: PeerAddress,
        at now: Timestamp,
        parameters: [String] = [],
        accepting credentials: RouteCredentials = .none
    ) {
        self.request = request
        self.peer = peer
        self.now = now
        self.parameters = parameters
        self.credentials = credentials
        query = QueryItems(request.query)
        id = RequestID.current
    }

    /// The first path parameter, percent-encoded, or an empty string if the route has none.
    package var parameter: String { parameters.first ?? "" }

    /// The session token of the request.
    package var sessionToken: Secret? { request.sessionToken }

    /// The id that the client assigned to the request, or `nil` if it is missing or malformed.
    ///
    /// The error envelope repeats the id.
    ///
    /// Any client can choose this id, so unlike ``id``, it is never logged.
    var echoedID: String? {
        request.headers[RequestID.field].flatMap { RequestID.isWellFormed($0) ? $0 : nil }
    }
}
