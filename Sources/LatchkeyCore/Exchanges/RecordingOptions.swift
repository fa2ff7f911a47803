/// Options that control which parts of recorded exchanges a client reports.
public struct RecordingOptions: Sendable {
    /// Whether request and response bodies exchanged with the app's own servers are shown.
    ///
    /// They are redacted with the same rules as the identity server's bodies. These rules cannot know which
    /// values are secret or personal in the app's own API.
    public var showsBodiesOfOtherOrigins = false

    /// Creates options with the defaults.
    public init() {}
}
