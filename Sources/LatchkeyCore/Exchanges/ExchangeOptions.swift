/// What the exchanges of a client show.
public struct ExchangeOptions: Sendable {
    /// Whether the bodies of requests to the app's own servers, and of their answers, are shown.
    ///
    /// They are redacted by the same rules as the identity server's, which do not know what is secret or personal in the
    /// app's own API.
    public var showsBodiesOfOtherOrigins = false

    /// Creates options with the defaults.
    public init() {}
}
