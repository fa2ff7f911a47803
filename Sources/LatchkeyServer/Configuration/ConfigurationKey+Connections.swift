extension ConfigurationKey {
    /// The settings of client connections.
    static let connections = [
        ConfigurationKey(
            "connections.limit",
            \.connections.limit,
            .number(16...1_000_000),
            "How many connections clients may have open at a time."
        ),
        ConfigurationKey(
            "connections.per_address",
            \.connections.perAddress,
            .optional(.number(0...1_000_000)),
            "How many of them one IPv4 address or IPv6 /64 may have, 0 for any number; when not set, a quarter of all, or any number with trusted_proxies."
        ),
    ]
}
