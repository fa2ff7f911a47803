package import LatchkeyWire

/// An HTTP client for the server's own requests to other services.
///
/// Implementations follow no redirects and store no cookies. A response of any status is a result, not an
/// error.
package protocol OutgoingHTTP: Sendable {
    /// Sends a request and returns its response.
    ///
    /// - Parameters:
    ///   - request: The request, with its complete path.
    ///   - origin: Scheme, host and port, such as `https://sms.example.com`.
    ///   - timeout: The time limit of the whole exchange.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``OutgoingHTTPError`` if there is no response.
    func send(
        _ request: HTTP.Request,
        to origin: String,
        timeout: Duration
    ) async throws(OutgoingHTTPError) -> HTTP.Response
}

/// An outgoing request that got no response.
package struct OutgoingHTTPError: Error, Sendable {
    /// The cause; of the request it contains at most the host.
    package let message: String

    /// Creates an error; the message is logged and must not contain header fields or the body.
    package init(_ message: String) {
        self.message = message
    }
}
