import LatchkeyModel

extension ConfigurationKey {
    /// The settings of the admin listener.
    static let admin = [
        ConfigurationKey("admin.host", \.admin.host, .text, "The address to listen on for the operator."),
        ConfigurationKey(
            "admin.port",
            \.admin.port,
            .number(0...65_535),
            "The port to listen on for the operator; 0 takes a free one."
        ),
        ConfigurationKey(
            "admin.token",
            \.admin.token,
            .adminToken,
            "The bearer token of the operator's callers, of at least 16 bytes; when not set, one is derived from the secrets and written to admin.token in the data folder."
        ),
        ConfigurationKey(
            "admin.open",
            \.admin.open,
            .toggle,
            "Whether callers on this machine need no token, unless they are web pages; only if admin.host is a loopback address."
        ),
        ConfigurationKey(
            "admin.metrics",
            \.admin.metrics,
            .choice,
            "The credentials for requests for metrics: the token, or none if open."
        ),
        ConfigurationKey(
            "flows.recovery_ui",
            \.selfService.recoveryPage,
            .optional(.text),
            "The page of your app on which the code of a recovery is entered, such as https://app.example.com/recovery; recovery_link leads there with ?flow=…."
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
