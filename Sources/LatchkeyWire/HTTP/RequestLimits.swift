/// The limits of one request; a limit that is `nil` is the transport's own.
public struct RequestLimits: Hashable, Sendable {
    /// The time limit for the whole exchange, including the body of a streamed response.
    ///
    /// By default, a streamed exchange has no time limit; it fails with `timedOut` after a minute without data.
    public var timeout: Duration?

    /// The maximum size of the response body in bytes; a larger body fails with `invalidAnswer`.
    ///
    /// By default, a streamed body has no limit.
    public var bodyLimit: Int?

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for the whole exchange; `nil` uses the transport's limit.
    ///   - bodyLimit: The maximum size of the response body in bytes; `nil` uses the transport's limit.
    public init(timeout: Duration? = nil, bodyLimit: Int? = nil) {
        self.timeout = timeout
        self.bodyLimit = bodyLimit
    }
}
