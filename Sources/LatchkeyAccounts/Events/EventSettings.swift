package import LatchkeyServerKit

/// Settings for session events.
public struct EventSettings: Sendable {
    /// Whether the session events route is enabled.
    public var isEnabled = true

    /// The maximum number of open streams and waiting polls on this node, or `nil` for half of the
    /// connections.
    ///
    /// Every stream is also a connection, and the other half is left to other requests. The value must be
    /// between 1 and half of `connections.limit`. If the server has to lower that limit, this limit is
    /// lowered as well.
    public var streams: Int?

    /// The maximum number of open streams and waiting polls per session on this node.
    ///
    /// The value must be between 1 and 100.
    public var perSession = 4

    /// The maximum number of open streams and waiting polls per account on this node.
    ///
    /// The value must be between 1 and 1000.
    public var perAccount = 16

    /// The average time between the comments that keep an idle stream open.
    ///
    /// The value must be between 1 second and 5 minutes. The actual time varies randomly by up to 20 %, so
    /// that streams that were opened together don't all write at once.
    public var heartbeat: Duration = .seconds(25)

    /// The minimum time that clients are asked to wait before they reconnect.
    ///
    /// The actual wait is random and at most twice as long.
    ///
    /// The value must be between 100 milliseconds and 10 minutes.
    public var retry: Duration = .seconds(5)

    /// The average time after which a stream reads its session's state even if it wasn't notified of any
    /// change.
    ///
    /// The value must be between 10 seconds and 1 day. If notifications are lost, for example because a
    /// connection pooler doesn't support them, this read detects the changes.
    public var checkInterval: Duration = .seconds(300)

    /// The time over which streams read their sessions after documents were published or a client was changed.
    ///
    /// The value must be between 1 second and 10 minutes. Without the spread, all clients would check their
    /// sessions at the same moment.
    public var spread: Duration = .seconds(30)

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for session events.
    package static let settings: [Setting<EventSettings>] = [
        Setting(
            "events.enabled",
            member: \.isEnabled,
            kind: .toggle,
            summary: "Whether devices can subscribe to changes to their sessions."
        ),
        Setting(
            "events.streams",
            member: \.streams,
            kind: .optional(.number(1...500_000)),
            summary:
                "The maximum number of open event streams on this node; when it is reached, the oldest stream of the account with the most streams is closed. Default and maximum: half of connections.limit."
        ),
        Setting(
            "events.streams_per_session",
            member: \.perSession,
            kind: .number(1...100),
            summary: "The maximum number of open event streams per session."
        ),
        Setting(
            "events.streams_per_account",
            member: \.perAccount,
            kind: .number(1...1000),
            summary: "The maximum number of open event streams per account."
        ),
        Setting(
            "events.heartbeat",
            member: \.heartbeat,
            kind: .duration(.seconds(1) ... .seconds(300)),
            summary: "The average time between the comments that keep an idle event stream open."
        ),
        Setting(
            "events.retry",
            member: \.retry,
            kind: .duration(.milliseconds(100) ... .seconds(600)),
            summary:
                "The minimum wait before clients reopen an event stream; the maximum is twice as long."
        ),
        Setting(
            "events.check_interval",
            member: \.checkInterval,
            kind: .duration(.seconds(10) ... .seconds(86_400)),
            summary: "How often an event stream reads its session even if it wasn't notified of a change."
        ),
        Setting(
            "events.spread",
            member: \.spread,
            kind: .duration(.seconds(1) ... .seconds(600)),
            summary:
                "The time over which the event streams are told of changes that concern all accounts, such as new terms."
        ),
    ]
}
