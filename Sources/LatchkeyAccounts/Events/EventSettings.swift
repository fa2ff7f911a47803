package import LatchkeyServerKit

/// The settings for session events.
public struct EventSettings: Sendable {
    /// Whether the server has a route for session events.
    public var isEnabled = true

    /// The maximum number of open streams and waiting polls on this node.
    ///
    /// The value must be between 1 and 1,000,000. Streams are also connections, which `connections.limit` limits.
    public var streams = 10_000

    /// The maximum number of open streams and waiting polls of a session on this node.
    ///
    /// The value must be between 1 and 100.
    public var perSession = 4

    /// The maximum number of open streams and waiting polls of an account on this node.
    ///
    /// The value must be between 1 and 1000.
    public var perAccount = 16

    /// The average time between the comments that keep an idle stream open.
    ///
    /// The value must be between 1 second and 5 minutes. The time is varied by a fifth, so that streams that were
    /// opened together do not all write at once.
    public var heartbeat: Duration = .seconds(25)

    /// The shortest time that clients are asked to wait before they reconnect; the longest is twice as long.
    ///
    /// The value must be between 100 milliseconds and 10 minutes.
    public var retry: Duration = .seconds(5)

    /// The average time after which a stream reads the state of its session even if no change was published.
    ///
    /// The value must be between 10 seconds and 1 day. It limits the delay if notifications do not arrive, for example
    /// because of a connection pooler that does not support them.
    public var checkInterval: Duration = .seconds(300)

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for session events.
    package static let settings: [Setting<EventSettings>] = [
        Setting(
            "events.enabled",
            member: \.isEnabled,
            kind: .toggle,
            summary: "Whether devices can follow the changes of their sessions."
        ),
        Setting(
            "events.streams",
            member: \.streams,
            kind: .number(1...1_000_000),
            summary:
                "The maximum number of open event streams on this node; each is also a connection (connections.limit)."
        ),
        Setting(
            "events.streams_per_session",
            member: \.perSession,
            kind: .number(1...100),
            summary: "The maximum number of open event streams of a session."
        ),
        Setting(
            "events.streams_per_account",
            member: \.perAccount,
            kind: .number(1...1000),
            summary: "The maximum number of open event streams of an account."
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
                "How long clients wait at least before they open a lost event stream again; at most twice as long."
        ),
        Setting(
            "events.check_interval",
            member: \.checkInterval,
            kind: .duration(.seconds(10) ... .seconds(86_400)),
            summary: "How often an event stream reads its session even if no change was published."
        ),
    ]
}
