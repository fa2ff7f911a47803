/// A transport, which sends requests to an origin and returns the responses.
///
/// A response with any status is a result. A transport does not follow redirects, store cookies or add
/// credentials. It sends a request only to the given origin: ``LatchkeyWire/HTTP/Request/url(at:)`` joins the
/// two, or refuses the request. `TransportConformance` of LatchkeyTestKit checks all of this.
public protocol Transport: Sendable {
    /// Sends one request.
    ///
    /// - Parameters:
    ///   - request: The request; its path is complete.
    ///   - origin: Scheme, host and port, such as `https://id.example.com`.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``TransportError``: ``TransportError/Code/cancelled`` if the task is cancelled, and
    ///   ``TransportError/Code/invalidRequest`` for a path without a leading slash or another invalid
    ///   request.
    func send(_ request: HTTP.Request, to origin: String) async throws(TransportError) -> HTTP.Response
}
