/// Limits for a single request.
///
/// If a limit is `nil`, the transport's own limit is used.
public struct RequestLimits: Hashable, Sendable {
    /// The maximum duration of the whole exchange, including the body of a streamed response.
    ///
    /// By default, streamed exchanges don't have a maximum duration, but fail with `timedOut` if no data is
    /// transferred for a minute.
    public var timeout: Duration?

    /// The maximum size of the response body in bytes.
    ///
    /// If the body is larger, the request fails with `invalidAnswer`.
    ///
    /// By default, streamed bodies can have any size.
    public var bodyLimit: Int?

    /// Creates limits for a request.
    ///
    /// - Parameters:
    ///   - timeout: The maximum duration of the whole exchange, or `nil` to use the transport's own limit.
    ///   - bodyLimit: The maximum size of the response body in bytes, or `nil` to use the transport's own
    ///     limit.
    public init(timeout: Duration? = nil, bodyLimit: Int? = nil) {
        self.timeout = timeout
        self.bodyLimit = bodyLimit
    }
}
