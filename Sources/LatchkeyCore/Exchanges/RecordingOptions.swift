/// Options for what recorded exchanges contain.
public struct RecordingOptions: Sendable {
    /// Whether to show the bodies of requests to the app's own servers and the bodies of their responses.
    ///
    /// Bodies are redacted by the same rules as the identity server's, but these rules can't know which
    /// values in the app's own API are secret or personal.
    public var showsBodiesOfOtherOrigins = false

    /// Creates the default options.
    public init() {}
}
