/// A transport, which sends requests to an origin and returns the responses.
///
/// A response with any status is a result, not an error. A transport does not follow redirects, store cookies
/// or add credentials. It sends a request only to the given origin: ``LatchkeyWire/HTTP/Request/url(at:)``
/// joins origin and path, or rejects the request. `TransportConformance` in LatchkeyTestKit checks all of
/// these rules.
public protocol Transport: Sendable {
    /// Sends one request.
    ///
    /// - Parameters:
    ///   - request: The request, with its complete path.
    ///   - origin: Scheme, host and port, such as `https://id.example.com`.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``TransportError``: ``TransportError/Code/cancelled`` if the task is cancelled, and
    ///   ``TransportError/Code/invalidRequest`` for an invalid request, such as one whose path has no leading
    ///   slash.
    func send(_ request: HTTP.Request, to origin: String) async throws(TransportError) -> HTTP.Response
}
