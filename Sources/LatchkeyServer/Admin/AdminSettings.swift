public import LatchkeyModel
package import LatchkeyServerKit

/// The settings of the admin listener, which serves the admin API, metrics and the development courier's
/// outbox.
public struct AdminSettings: Sendable {
    /// The credentials required for metrics.
    public enum MetricsAccess: String, Sendable, CaseIterable {
        /// Requests for metrics need the admin token, like all other requests.
        case token
        /// Requests for metrics need no credentials.
        case open
    }

    /// The address to listen on.
    ///
    /// A caller with the admin token can change every account, so keep the listener on a private network.
    public var host = "127.0.0.1"

    /// The port to listen on; 0 selects a free port.
    ///
    /// If both listeners use the same address, the port must differ from the port of the public listener.
    public var port = 4434

    /// The bearer token that callers must send, which has at least 16 bytes.
    ///
    /// If the token is `nil`, one is derived from the secrets. Servers with the same secrets derive the same
    /// token, and each server writes it to `admin.token` in its data folder.
    public var token: Secret?

    /// Whether callers on this machine, except web pages, need no token, which requires ``host`` to be a
    /// loopback address.
    public var open = false

    /// The credentials required for metrics.
    ///
    /// The metrics contain no user data.
    public var metrics = MetricsAccess.token

    /// Creates settings with their default values.
    public init() {}

    /// The configuration settings for the admin listener.
    package static let settings: [Setting<AdminSettings>] = [
        Setting(
            "admin.host",
            member: \.host,
            kind: .text,
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
