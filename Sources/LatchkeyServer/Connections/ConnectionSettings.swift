package import LatchkeyServerKit

/// Limits for client connections; the admin listener has its own.
public struct ConnectionSettings: Sendable {
    /// The maximum number of open connections; the server lowers it if the process may not open enough file
    /// descriptors.
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

    /// The table of these settings.
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
