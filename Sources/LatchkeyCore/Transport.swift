public import LatchkeyWire

/// Carries requests to an origin and brings the answers back.
///
/// Any status is an answer. A transport follows no redirects, keeps no cookies and adds no credentials. It sends a request to
/// the origin that it is given and nowhere else: ``LatchkeyWire/HTTPRequest/url(at:)`` joins the two, or refuses the request.
/// `TransportConformance` of LatchkeyTestKit checks all of this.
public protocol Transport: Sendable {
    /// Sends one request.
    ///
    /// - Parameters:
    ///   - request: The request; its path is complete.
    ///   - origin: Scheme, host and port, such as `https://id.example.com`.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``TransportError``; when the task is cancelled, its ``TransportError/Code/cancelled``; for a path without
    ///   a leading slash and the like, ``TransportError/Code/invalidRequest``.
    func send(_ request: HTTPRequest, to origin: String) async throws(TransportError) -> HTTPResponse
}
