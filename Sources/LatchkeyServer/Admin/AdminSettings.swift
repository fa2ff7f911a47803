public import LatchkeyModel
package import LatchkeyServerKit

/// The admin listener: the administration API, metrics, and the outbox of the development courier.
public struct AdminSettings: Sendable {
    /// The credentials required for metrics.
    public enum MetricsAccess: String, Sendable, CaseIterable {
        /// The admin token, as for every other request.
        case token
        /// No credentials.
        case open
    }

    /// The address to listen on.
    ///
    /// A caller with the token can change every account, so keep the listener on a private network.
    public var host = "127.0.0.1"

    /// The port to listen on; 0 selects a free one.
    ///
    /// It must differ from that of the public listener if both have the same address.
    public var port = 4434

    /// The bearer token of callers, of at least 16 bytes.
    ///
    /// If `nil`, a token is derived from the secrets: it is the same on all servers with the same
    /// secrets, and each server writes it to `admin.token` in its data folder.
    public var token: Secret?

    /// Whether callers on this machine need no token, except web pages; requires a loopback address.
    public var open = false

    /// The credentials required for metrics.
    ///
    /// The metrics contain no data of users.
    public var metrics = MetricsAccess.token

    /// Creates the defaults.
    public init() {}

    /// The settings of the part.
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
            summary: "The credentials that the metrics endpoint requires: the admin token, or none if open."
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
