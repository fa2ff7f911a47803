package import LatchkeyWire

/// Carries the server's own requests to the services that it uses.
///
/// Any status is an answer. An implementation follows no redirects and keeps no cookies.
package protocol OutgoingHTTP: Sendable {
    /// Sends one request.
    ///
    /// - Parameters:
    ///   - request: The request; its path is complete.
    ///   - origin: Scheme, host and port, such as `https://sms.example.com`.
    ///   - timeout: How long the whole exchange may take.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``OutgoingHTTPError`` when there is none.
    func send(
        _ request: HTTPRequest,
        to origin: String,
        timeout: Duration
    ) async throws(OutgoingHTTPError) -> HTTPResponse
}

/// A request of the server's that brought no answer.
package struct OutgoingHTTPError: Error, Sendable {
    /// What went wrong; holds no part of the request but the host.
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
