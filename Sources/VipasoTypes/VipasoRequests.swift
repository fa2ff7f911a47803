public import Latchkey

/// Sends requests to the app's own API as the logged-in user.
///
/// `VipasoClient` and `VipasoPayClient` conform to this protocol.
///
/// These requests are not part of Vipaso's documentation, with one exception: if the identity server no
/// longer accepts the session after a 401, the user is logged out and the delegate is notified. Requests can
/// only be sent to the identity server and to the origins in ``Latchkey/LatchkeyConfiguration/apiOrigins``.
public protocol VipasoRequests: Sendable {
    /// Sends a request to the app's own API.
    ///
    /// - Parameters:
    ///   - request: The request to send, whose path must start with a slash.
    ///   - origin: The server's scheme, host and port, such as `https://api.example.com`.
    /// - Returns: The response, regardless of its status code. After a 401, the session is validated in the
    ///   background.
    /// - Throws: ``VipasoError/loggedOut`` if no user is logged in, or ``VipasoError/configuration(_:)`` if
    ///   the request is invalid or the origin is not listed.
    func send(_ request: HTTP.Request, to origin: String) async throws(VipasoError) -> HTTP.Response

    /// Returns the credentials for a request that the app sends with its own network stack.
    ///
    /// - Parameters:
    ///   - method: The request's HTTP method.
    ///   - url: The request's absolute URL.
    /// - Returns: The header fields to add to the request.
    /// - Throws: The same errors as ``send(_:to:)``.
    func authorization(
        _ method: HTTP.Method,
        for url: String
    ) async throws(VipasoError) -> RequestAuthorization

    /// Reports a response that the app received with its own network stack. Report every 401 response.
    ///
    /// - Parameters:
    ///   - status: The response's status code.
    ///   - headers: The response's header fields.
    ///   - authorization: The credentials that the request was sent with.
    /// - Returns: Whether the request should be sent once more with new credentials.
    @discardableResult
    func reportResponse(
        status: Int,
        headers: HTTP.Headers,
        for authorization: RequestAuthorization
    ) -> Bool
}
