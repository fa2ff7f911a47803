import LatchkeyAccounts
import LatchkeyCommerce
import LatchkeyCourier
import LatchkeyOAuth
import LatchkeySelfService
package import LatchkeyServerKit

/// A setting of the server.
package typealias ConfigurationKey = Setting<ServerConfiguration>

extension ServerConfiguration {
    /// All settings of the server.
    ///
    /// The names used in files, environment variables and flags are derived from this table, and so are the
    /// help texts.
    package static let settings: [ConfigurationKey] =
        own
        + ConnectionSettings.settings.map { $0.of(\.connections) }
        + AdminSettings.settings.map { $0.of(\.admin) }
        + SchemaSettings.settings.map { $0.of(\.schemas) }
        + FlowSettings.settings.map { $0.of(\.flows) }
        + RegistrationSettings.settings.map { $0.of(\.registration) }
        + LoginSettings.settings.map { $0.of(\.login) }
        + CodeSettings.settings.map { $0.of(\.codes) }
        + RecoverySettings.settings.map { $0.of(\.recovery) }
        + VerificationSettings.settings.map { $0.of(\.verification) }
        + AccountChangeSettings.settings.map { $0.of(\.changes) }
        + AccountSettings.settings.map { $0.of(\.accounts) }
        + NoticeSettings.settings.map { $0.of(\.notices) }
        + SessionSettings.settings.map { $0.of(\.sessions) }
        + CookieSettings.settings.map { $0.of(\.cookies) }
        + UISettings.settings.map { $0.of(\.ui) }
        + EventSettings.settings.map { $0.of(\.events) }
        + CertificateSettings.settings.map { $0.of(\.certificates) }
        + TokenSettings.settings.map { $0.of(\.tokens) }
        + ClientSettings.settings.map { $0.of(\.clients) }
        + ProviderSettings.settings.map { $0.of(\.provider) }
        + ScopeSettings.settings.map { $0.of(\.scopes) }
        + PasswordSettings.settings.map { $0.of(\.passwords) }
        + LimitSettings.settings.map { $0.of(\.limits) }
        + AuditSettings.settings.map { $0.of(\.audit) }
        + TermsSettings.settings.map { $0.of(\.terms) }
        + CourierSettings.settings.map { $0.of(\.courier) }
        + MailSettings.settings.map { $0.of(\.courier.mail) }
        + CommerceSettings.settings.map { $0.of(\.commerce) }

    private static let own: [ConfigurationKey] = [
        Setting(
            "data",
            member: \.data,
            kind: .folder,
            summary:
                "The folder for the secrets, the certificate authority and, unless database is set, the SQLite database."
        ),
        Setting(
            "database",
            member: \.database,
            kind: .databaseURL,
            summary:
                "The URL of a PostgreSQL database, postgres://user@host/name. Defaults to a SQLite file in the data folder."
        ),
        Setting(
            "host",
            member: \.host,
            kind: .listenAddress,
            summary: "The listen address of the public listener."
        ),
        Setting(
            "port",
            member: \.port,
            kind: .number(0...65_535),
            summary: "The port of the public listener; 0 selects a free port."
        ),
        Setting(
            "url",
            member: \.url,
            kind: .origin,
            summary: "The public URL of the server, if it differs from the listen address."
        ),
        Setting(
            "base_path",
            member: \.basePath,
            kind: .optionalText,
            summary: "The path prefix of the self-service API."
        ),
        Setting(
            "trusted_proxies",
            member: \.trustedProxies,
            kind: .addressRanges,
            summary:
                "The reverse proxies whose forwarded client addresses are trusted: addresses, or ranges such as 10.0.0.0/8."
        ),
        Setting(
            "proxy_header",
            member: \.proxyHeader,
            kind: .choice,
            summary: "The header in which the proxies forward the client address."
        ),
        Setting(
            "log.level",
            member: \.logLevel,
            kind: .choice,
            summary: "The log level; trace logs each request."
        ),
    ]
}
