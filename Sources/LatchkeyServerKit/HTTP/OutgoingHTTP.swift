package import LatchkeyWire

/// An HTTP client for requests that the server itself sends to other services.
///
/// Implementations do not follow redirects or store cookies. A response with any status is a result, not an
/// error.
package protocol OutgoingHTTP: Sendable {
    /// Sends a request and returns its response.
    ///
    /// - Parameters:
    ///   - request: The request, with its complete path.
    ///   - origin: Scheme, host and port, such as `https://sms.example.com`.
    ///   - timeout: The time limit for the whole exchange.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``OutgoingHTTPError`` if there is no response.
    func send(
        _ request: HTTP.Request,
        to origin: String,
        timeout: Duration
    ) async throws(OutgoingHTTPError) -> HTTP.Response
}

/// The error for an outgoing request that received no response.
package struct OutgoingHTTPError: Error, Sendable {
    /// The cause, which may quote no part of the request except the host.
    package let message: String

    /// Creates an error, whose message is logged and must not contain header fields or the body.
    package init(_ message: String) {
        self.message = message
    }
}
