package import LatchkeyServerKit

/// The limits on client connections.
///
/// These limits don't apply to the admin listener, which has its own.
public struct ConnectionSettings: Sendable {
    /// The maximum number of open connections.
    ///
    /// The server lowers this limit if the process isn't allowed to open enough file descriptors.
    ///
    /// The value must be between 16 and 1,000,000. Up to 512 file descriptors are reserved for other uses.
    public var limit = 4096

    /// The maximum number of connections per IPv4 address or IPv6 /64 network.
    ///
    /// An IPv6 /48 network may have twice as many connections. If this is 0, the number of connections per
    /// address isn't limited. If this is `nil`, the limit is a quarter of ``limit``, or there is no limit if
    /// trusted proxies are configured.
    public var perAddress: Int?

    /// Creates settings with their default values.
    public init() {}

    /// The definitions of the settings for client connections.
    package static let settings: [Setting<ConnectionSettings>] = [
        Setting(
            "connections.limit",
            member: \.limit,
            kind: .number(16...1_000_000),
            summary: "The maximum number of open client connections."
        ),
        Setting(
            "connections.per_address",
            member: \.perAddress,
            kind: .optional(.number(0...1_000_000)),
            summary:
                "The maximum number of connections per IPv4 address or IPv6 /64; 0 for no limit. Defaults to a quarter of connections.limit, or to no limit if trusted_proxies is set."
        ),
    ]
}
