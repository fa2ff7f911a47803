package import LatchkeyWire

/// Requests to other APIs of the identity server, such as purchases. Modules built on top of the client send
/// these requests.
extension IdentityAPI {
    /// The scheme, host and port of the server.
    package var origin: String { server.origin }

    /// Returns a request for a route below the base path.
    ///
    /// The request includes the client's header fields.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - route: The percent-encoded route with a leading slash.
    ///   - query: The encoded query without the question mark.
    ///   - body: The encoded JSON body, if any.
    /// - Returns: A request that doesn't contain credentials.
    package func serviceRequest(
        _ method: HTTP.Method,
        route: String,
        query: String? = nil,
        body: [UInt8]? = nil
    ) -> HTTP.Request {
        var request = HTTP.Request(method, selfService + route, query: query)
        if let body {
            request.body = body
            request.headers["Content-Type"] = "application/json"
        }
        request.headers["Accept"] = "application/json"
        headers.add(to: &request)
        return request
    }

    /// Returns a request for a route on which the user answers the requests of other apps.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path below ``Route/approvals``.
    ///   - body: The encoded JSON body, if any.
    /// - Returns: A request that doesn't contain credentials.
    func approvalRequest(_ method: HTTP.Method, path: String, body: [UInt8]? = nil) -> HTTP.Request {
        var request = serviceRequest(method, route: "", body: body)
        request.path = server.pathPrefix + Route.approvals + path
        return request
    }

    /// Sends a request that doesn't contain credentials.
    package func sendWithoutSession(_ request: HTTP.Request) async throws(LatchkeyError) -> HTTP.Response {
        try await exchange(request)
    }
}
