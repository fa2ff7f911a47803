public import Latchkey

/// Requests to the app's own API as the user who is logged in; `VipasoClient` and `VipasoPayClient` conform to
/// it.
///
/// They are not part of Vipaso's documents, except for the logout after a 401: if the identity server no longer
/// accepts the session, the user is logged out and the delegate is notified. Requests can go only to the
/// identity server and to the origins in ``VipasoConfiguration/apiOrigins``.
public protocol VipasoRequests: Sendable {
    /// Sends a request to the app's own API.
    ///
    /// - Parameters:
    ///   - request: The request; its path starts with a slash.
    ///   - origin: Scheme, host and port, such as `https://api.example.com`.
    /// - Returns: The response, regardless of its status. After a 401, the session is checked in the
    ///   background.
    /// - Throws: ``VipasoError/loggedOut`` if no user is logged in, and ``VipasoError/configuration(_:)`` for an
    ///   invalid request or an origin that is not listed.
    func send(_ request: HTTP.Request, to origin: String) async throws(VipasoError) -> HTTP.Response

    /// Returns the credentials for one request of the app's own network stack.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The absolute URL.
    /// - Returns: The header fields to add to the request.
    /// - Throws: The same errors as ``send(_:to:)``.
    func authorization(
        _ method: HTTP.Method,
        for url: String
    ) async throws(VipasoError) -> RequestAuthorization

    /// Reports a response that the app's own network stack received; report every 401.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: The header fields of the response.
    ///   - authorization: The credentials of the request.
    /// - Returns: Whether the request should be repeated once, with new credentials.
    @discardableResult
    func reportResponse(
        status: Int,
        headers: HTTP.Headers,
        for authorization: RequestAuthorization
    ) -> Bool
}
