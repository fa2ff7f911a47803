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

    /// Sends one request with limits of its own.
    ///
    /// The default implementation ignores the limits.
    ///
    /// - Parameters:
    ///   - request: The request, with its complete path.
    ///   - origin: Scheme, host and port, such as `https://id.example.com`.
    ///   - limits: The limits that replace the transport's own.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``TransportError``.
    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response
}

extension Transport {
    /// Sends one request with the transport's own limits.
    ///
    /// - Parameters:
    ///   - request: The request, with its complete path.
    ///   - origin: Scheme, host and port, such as `https://id.example.com`.
    ///   - limits: Ignored.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``TransportError``.
    public func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        try await send(request, to: origin)
    }
}

/// A transport that sends and receives bodies in parts, so that a body does not have to fit into memory.
public protocol StreamingTransport: Transport {
    /// Sends one request, and returns as soon as the head of the response has arrived.
    ///
    /// - Parameters:
    ///   - request: The request, with its complete path; its own body is empty if `upload` is given.
    ///   - upload: The body of the request; `nil` sends the request's own body.
    ///   - origin: Scheme, host and port, such as `https://id.example.com`.
    ///   - limits: The limits of the exchange.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``TransportError``.
    func stream(
        _ request: HTTP.Request,
        upload: HTTP.Upload?,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.StreamedResponse
}
