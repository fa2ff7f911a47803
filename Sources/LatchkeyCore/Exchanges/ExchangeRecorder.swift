/// Receives every request of a client and its response, without secrets.
public struct ExchangeRecorder: Sendable {
    /// Whether to show the bodies of requests to the app's own servers and the bodies of their responses.
    ///
    /// Bodies are redacted by the same rules as the identity server's, but these rules can't know which
    /// values in the app's own API are secret or personal.
    public var showsBodiesOfOtherOrigins: Bool

    /// Called on any thread with each request and its response.
    public let record: @Sendable (RecordedExchange) -> Void

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - showsBodiesOfOtherOrigins: Whether to show the bodies of requests to the app's own servers.
    ///   - record: Called on any thread with each request and its response. Secrets are redacted.
    public init(
        showsBodiesOfOtherOrigins: Bool = false,
        _ record: @escaping @Sendable (RecordedExchange) -> Void
    ) {
        self.showsBodiesOfOtherOrigins = showsBodiesOfOtherOrigins
        self.record = record
    }
}
