package import LatchkeyWire

/// An HTTP client for requests that the server sends to other services.
///
/// Implementations don't follow redirects or store cookies. Implementations return every response they
/// receive, even if its status indicates an error.
package protocol OutgoingHTTP: Sendable {
    /// Sends a request and returns its response.
    ///
    /// The status line is the other service's answer. If the rest of the response is lost, too late, too
    /// large or malformed, the response is returned with an empty body.
    ///
    /// - Parameters:
    ///   - request: The request, including its complete path.
    ///   - origin: The scheme, host and port, such as `https://sms.example.com`.
    ///   - timeout: The time limit for the whole exchange.
    /// - Returns: The response, which may have any status.
    /// - Throws: ``OutgoingHTTPError`` if no status line was received.
    func send(
        _ request: HTTP.Request,
        to origin: String,
        timeout: Duration
    ) async throws(OutgoingHTTPError) -> HTTP.Response
}

/// The error thrown when an outgoing request doesn't receive a response.
package struct OutgoingHTTPError: Error, Sendable {
    /// The cause of the failure.
    ///
    /// The host is the only part of the request that the message may quote.
    package let message: String

    /// Creates an error.
    ///
    /// The message is logged, so it must not contain header fields or the body.
    package init(_ message: String) {
        self.message = message
    }
}
