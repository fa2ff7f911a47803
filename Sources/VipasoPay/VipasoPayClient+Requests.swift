public import Latchkey
public import VipasoTypes

extension VipasoPayClient: VipasoRequests {
    /// Sends a request to the app's own API.
    ///
    /// - Parameters:
    ///   - request: The request to send, whose path must start with a slash.
    ///   - origin: The server's scheme, host and port, which must be one of the `apiOrigins`.
    /// - Returns: The response, regardless of its status code.
    /// - Throws: ``VipasoTypes/VipasoError/loggedOut`` if no user is logged in, or
    ///   ``VipasoTypes/VipasoError/configuration(_:)`` if the request is invalid or the origin is not listed.
    @concurrent public func send(
        _ request: HTTP.Request,
        to origin: String
    ) async throws(VipasoError) -> HTTP.Response {
        try await adapter.send(request, to: origin)
    }

    /// Returns the credentials for a request that the app sends with its own network stack.
    ///
    /// - Parameters:
    ///   - method: The request's HTTP method.
    ///   - url: The request's absolute URL.
    /// - Returns: The header fields to add to the request.
    /// - Throws: The same errors as ``send(_:to:)``.
    @concurrent public func authorization(
        _ method: HTTP.Method = .get,
        for url: String
    ) async throws(VipasoError) -> RequestAuthorization {
        try await adapter.authorization(method, for: url)
    }

    /// Reports a response that the app received with its own network stack.
    ///
    /// Report every 401 response.
    ///
    /// - Parameters:
    ///   - status: The response's status code.
    ///   - headers: The response's header fields.
    ///   - authorization: The credentials that the request was sent with.
    /// - Returns: Whether the request should be sent once more with new credentials.
    @discardableResult
    public func reportResponse(
        status: Int,
        headers: HTTP.Headers = [:],
        for authorization: RequestAuthorization
    ) -> Bool {
        adapter.reportResponse(status: status, headers: headers, for: authorization)
    }
}
