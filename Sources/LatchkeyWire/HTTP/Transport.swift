/// Sends requests to an origin and returns the responses.
///
/// A response is returned regardless of its status, even if it indicates an error. Transports must not follow
/// redirects, store cookies or add credentials. A request must be sent only to the given origin, so
/// transports must call ``LatchkeyWire/HTTP/Request/url(at:)``, which combines the origin and the path, or
/// rejects the request. `TransportConformance` in LatchkeyTestKit checks all of these rules.
public protocol Transport: Sendable {
    /// Sends a request and waits for the response.
    ///
    /// - Parameters:
    ///   - request: The request, including its full path.
    ///   - origin: The scheme, host and port, such as `https://id.example.com`.
    ///   - limits: The limits for this request. They override the transport's own limits, which apply if a limit is
    ///     `nil`.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``TransportError`` if there is no response. The code is ``TransportError/Code/cancelled`` if
    ///   the task is cancelled, ``TransportError/Code/timedOut`` if the time limit is reached,
    ///   ``TransportError/Code/invalidResponse`` if the response is larger than the limit, and
    ///   ``TransportError/Code/invalidRequest`` if the request is invalid, for example because its path doesn't
    ///   start with a slash.
    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response
}

extension Transport {
    /// Sends a request with the transport's own limits and waits for the response.
    ///
    /// - Parameters:
    ///   - request: The request, including its full path.
    ///   - origin: The scheme, host and port, such as `https://id.example.com`.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``TransportError`` if there is no response.
    public func send(
        _ request: HTTP.Request,
        to origin: String
    ) async throws(TransportError) -> HTTP.Response {
        try await send(request, to: origin, limits: RequestLimits())
    }
}

/// A transport that can stream request and response bodies, so that they don't have to fit into memory.
public protocol StreamingTransport: Transport {
    /// Sends a request and returns as soon as the response header has been received.
    ///
    /// - Parameters:
    ///   - request: The request, including its full path. If `upload` is given, the request's body must be
    ///     empty.
    ///   - upload: The body to upload, or `nil` to send the body of `request`.
    ///   - origin: The scheme, host and port, such as `https://id.example.com`.
    ///   - limits: The limits for this exchange.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``TransportError`` if there is no response.
    func stream(
        _ request: HTTP.Request,
        upload: HTTP.Upload?,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.StreamedResponse
}
