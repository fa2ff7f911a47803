public import LatchkeyModel
package import LatchkeyServerKit

/// The settings of the admin listener, which serves the admin API, metrics and the development courier's
/// outbox.
public struct AdminSettings: Sendable {
    /// Whether metrics can be read without credentials.
    public enum MetricsAccess: String, Sendable, CaseIterable {
        /// Metrics require the admin token, like every other request.
        case token
        /// Metrics can be read without credentials.
        case open
    }

    /// The address to listen on.
    ///
    /// Anyone who has the admin token can change every account, so make sure that the listener is only
    /// reachable from a private network.
    public var host = "127.0.0.1"

    /// The port to listen on.
    ///
    /// If the port is 0, a free port is selected. If both listeners use the same address, this port must
    /// differ from the port of the public listener.
    public var port = 4434

    /// The bearer token that callers must send.
    ///
    /// The token must be at least 16 bytes long. If this is `nil`, a token is derived from the secrets.
    /// Servers that share the same secrets derive the same token. Each server writes the token to
    /// `admin.token` in its data folder.
    public var token: Secret?

    /// Whether callers on this machine may omit the token.
    ///
    /// Web pages always need a token. If this is `true`, ``host`` must be a loopback address.
    public var open = false

    /// Whether metrics can be read without credentials.
    ///
    /// The metrics contain no user data.
    public var metrics = MetricsAccess.token

    /// Creates settings with their default values.
    public init() {}

    /// The definitions of the admin listener's settings.
    package static let settings: [Setting<AdminSettings>] = [
        Setting(
            "admin.host",
            member: \.host,
            kind: .listenAddress,
            summary: "The listen address of the admin listener."
        ),
        Setting(
            "admin.port",
            member: \.port,
            kind: .number(0...65_535),
            summary: "The port of the admin listener; 0 selects a free port."
        ),
        Setting(
            "admin.token",
            member: \.token,
            kind: .adminToken,
            summary:
                "The bearer token of the admin API, at least 16 bytes. By default, a token is derived from the secrets and written to admin.token in the data folder."
        ),
        Setting(
            "admin.open",
            member: \.open,
            kind: .toggle,
            summary:
                "Whether the admin API accepts requests from this machine without a token, except from web pages. Requires admin.host to be a loopback address."
        ),
        Setting(
            "admin.metrics",
            member: \.metrics,
            kind: .choice,
            summary: "Who can read the metrics: token requires the admin token, open requires no credentials."
        ),
    ]
}

extension SettingKind<Secret?> {
    /// A token that is at least ``AdminTokens/shortest`` bytes long.
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
