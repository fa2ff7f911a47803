import LatchkeyModel

extension ConfigurationKey {
    /// The settings of the admin listener.
    static let admin = [
        ConfigurationKey("admin.host", \.admin.host, .text, "The listen address of the admin listener."),
        ConfigurationKey(
            "admin.port",
            \.admin.port,
            .number(0...65_535),
            "The port of the admin listener; 0 selects a free port."
        ),
        ConfigurationKey(
            "admin.token",
            \.admin.token,
            .adminToken,
            "The bearer token of the admin API, at least 16 bytes. By default, a token is derived from the secrets and written to admin.token in the data folder."
        ),
        ConfigurationKey(
            "admin.open",
            \.admin.open,
            .toggle,
            "Whether the admin API accepts requests from this machine without a token, except from web pages. Requires admin.host to be a loopback address."
        ),
        ConfigurationKey(
            "admin.metrics",
            \.admin.metrics,
            .choice,
            "The credentials that the metrics endpoint requires: the admin token, or none if open."
        ),
        ConfigurationKey(
            "flows.recovery_ui",
            \.selfService.recoveryPage,
            .optional(.text),
            "The page of your app where users enter recovery codes, such as https://app.example.com/recovery; recovery_link points to it with ?flow=…."
        ),
    ]
}

extension SettingKind<Secret?> {
    /// A token of at least ``AdminTokens/shortest`` bytes.
    fileprivate static let adminToken = SettingKind(wanted: secret.wanted, isSecret: true) {
        input throws(SettingMismatch) in
        let token = try secret.read(input)
        guard let token, token.exposed.utf8.count >= AdminTokens.shortest else {
            throw SettingMismatch(AdminTokens.tooShort)
        }
        return token
    } show: {
        secret.show($0)
    }
}
