package import LatchkeyServerKit

/// Limits for client connections.
///
/// The admin listener has its own limits.
public struct ConnectionSettings: Sendable {
    /// The maximum number of open connections, which the server lowers if the process may not open enough
    /// file descriptors.
    ///
    /// The value must be between 16 and 1,000,000. Up to 512 file descriptors of the process are reserved for
    /// other uses.
    public var limit = 4096

    /// The maximum number of connections per IPv4 address or IPv6 /64, and twice that number per IPv6 /48; 0
    /// means no limit.
    ///
    /// `nil` means a quarter of ``limit``, or no limit if there are trusted proxies.
    public var perAddress: Int?

    /// Creates settings with their default values.
    public init() {}

    /// The configuration settings for client connections.
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
