/// Limits for a single request.
///
/// If a limit is `nil`, the transport's own limit is used.
public struct RequestLimits: Hashable, Sendable {
    /// The value of ``timeout`` for a request without a maximum duration, such as a long poll.
    ///
    /// Any timeout of 24 days or more has the same meaning.
    public static let noTimeout: Duration = .seconds(Int64.max)

    /// The maximum duration of the whole exchange, including the body of a streamed response.
    ///
    /// The included transports have a limit of 15 seconds for exchanges that aren't streamed.
    ///
    /// By default, streamed exchanges don't have a maximum duration, but fail with `timedOut` if no data is
    /// transferred for a minute.
    public var timeout: Duration?

    /// The maximum size of the response body in bytes.
    ///
    /// If the body is larger, the request fails with `invalidResponse`.
    ///
    /// The included transports have a limit of 1 MiB for bodies that aren't streamed. By default, streamed bodies can have any size.
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

    /// Returns whether a timeout is so long that the transport doesn't need a timer.
    ///
    /// The threshold in milliseconds fits into 32 bits, as required by libcurl.
    package static func isUnlimited(_ timeout: Duration) -> Bool {
        timeout >= .seconds(24 * 86_400)
    }
}
