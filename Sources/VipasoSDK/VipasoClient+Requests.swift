public import Latchkey
public import VipasoTypes

extension VipasoClient: VipasoRequests {
    /// Sends a request to the app's own API.
    ///
    /// - Parameters:
    ///   - request: The request; its path starts with a slash.
    ///   - origin: Scheme, host and port; one of the `apiOrigins`.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``VipasoTypes/VipasoError/loggedOut`` if no user is logged in, and
    ///   ``VipasoTypes/VipasoError/configuration(_:)`` for an invalid request or an origin that is not listed.
    @concurrent public func send(
        _ request: HTTP.Request,
        to origin: String
    ) async throws(VipasoError) -> HTTP.Response {
        try await adapter.send(request, to: origin)
    }

    /// Returns the credentials for one request of the app's own network stack.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The absolute URL.
    /// - Returns: The header fields to add to the request.
    /// - Throws: The same errors as ``send(_:to:)``.
    @concurrent public func authorization(
        _ method: HTTP.Method = .get,
        for url: String
    ) async throws(VipasoError) -> RequestAuthorization {
        try await adapter.authorization(method, for: url)
    }

    /// Reports a response that the app's own network stack received; report every 401.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: The header fields of the response.
    ///   - authorization: The credentials of the request.
    /// - Returns: Whether the request should be repeated once, with new credentials.
    @discardableResult
    public func reportResponse(
        status: Int,
        headers: HTTP.Headers = [:],
        for authorization: RequestAuthorization
    ) -> Bool {
        adapter.reportResponse(status: status, headers: headers, for: authorization)
    }
}
