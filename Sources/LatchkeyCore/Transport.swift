public import LatchkeyWire

/// Carries requests to an origin and brings the answers back.
///
/// Any status is an answer. A transport follows no redirects, keeps no cookies and adds no credentials.
public protocol Transport: Sendable {
    /// Sends one request.
    ///
    /// - Parameters:
    ///   - request: The request; its path is complete.
    ///   - origin: Scheme, host and port, such as `https://id.example.com`.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``TransportError``; when the task is cancelled, its ``TransportError/Code/cancelled``.
    func send(_ request: HTTPRequest, to origin: String) async throws(TransportError) -> HTTPResponse
}
