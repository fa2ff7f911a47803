/// Options for the exchanges that a client reports.
public struct RecordingOptions: Sendable {
    /// Whether the bodies of requests to the app's own servers, and of their responses, are shown.
    ///
    /// They are redacted by the same rules as the identity server's, which do not know what is secret or
    /// personal in the app's own API.
    public var showsBodiesOfOtherOrigins = false

    /// Creates options with the defaults.
    public init() {}
}
