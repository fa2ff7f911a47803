extension ConfigurationKey {
    /// The settings of client connections.
    static let connections = [
        ConfigurationKey(
            "connections.limit",
            \.connections.limit,
            .number(16...1_000_000),
            "The maximum number of open client connections."
        ),
        ConfigurationKey(
            "connections.per_address",
            \.connections.perAddress,
            .optional(.number(0...1_000_000)),
            "The maximum number of connections per IPv4 address or IPv6 /64; 0 for no limit. By default a quarter of connections.limit, or no limit with trusted_proxies."
        ),
    ]
}
