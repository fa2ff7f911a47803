package import LatchkeyWire

/// The requests to further APIs of the identity server, such as purchases, which modules on top of the client send.
extension IdentityAPI {
    /// Scheme, host and port of the server.
    package var origin: String { server.origin }

    /// Returns a request to a route below the base path, with the client's header fields.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - route: The route, percent-encoded and with a leading slash.
    ///   - query: The encoded query, without the question mark.
    ///   - body: The JSON body; `nil` if there is none.
    /// - Returns: The request, without credentials.
    package func serviceRequest(
        _ method: HTTP.Method,
        route: String,
        query: String? = nil,
        body: JSONValue? = nil
    ) -> HTTP.Request {
        var request = HTTP.Request(method, selfService + route, query: query)
        if let body {
            var writer = JSONWriter(reserving: 512)
            writer.value(body)
            request.body = writer.bytes
            request.headers["Content-Type"] = "application/json"
        }
        request.headers["Accept"] = "application/json"
        headers.add(to: &request)
        return request
    }

    /// Returns the body of a successful response as JSON; `null` if the body is empty.
    ///
    /// - Throws: ``LatchkeyError`` for every status other than 2xx, and ``LatchkeyError/Code/invalidAnswer`` if the
    ///   body is not JSON.
    package func serviceBody(of answer: HTTP.Response) throws(LatchkeyError) -> JSONValue {
        guard (200..<300).contains(answer.status) else {
            throw LatchkeyError(refusal: ServerRefusal(decoding: answer))
        }
        guard !answer.body.isEmpty else { return .null }
        guard let json = answer.json else { throw .unexpected(answer) }
        return json
    }

    /// Sends a request without credentials.
    package func sendWithoutSession(_ request: HTTP.Request) async throws(LatchkeyError) -> HTTP.Response {
        try await exchange(request)
    }
}
