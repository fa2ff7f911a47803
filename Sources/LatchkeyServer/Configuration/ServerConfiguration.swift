public import LatchkeyAccounts
public import LatchkeyCommerce
public import LatchkeyCourier
public import LatchkeyModel
public import LatchkeyOAuth
public import LatchkeySelfService
public import LatchkeyServerKit

/// The configuration of a server.
///
/// All settings have usable default values. Use ``load(file:environment:flags:)`` to read the settings from a
/// JSON5 file, `LATCHKEY_…` environment variables and flags.
public struct ServerConfiguration: Sendable {
    /// The folder for the secrets, the certificate authority and the SQLite database.
    ///
    /// An empty path means that there is no default folder, and the server doesn't start.
    ///
    /// If ``database`` is set, the SQLite database is not used. The server creates the folder so that only
    /// its owner can access it, and refuses to start if other users have access.
    public var data: String

    /// The URL of a PostgreSQL database, such as `postgres://user:password@host/name?sslmode=verify-full`.
    ///
    /// If this is `nil`, the server uses a SQLite file in the data folder. Several servers can share a
    /// PostgreSQL database if their data folders contain the same secrets and the same certificate authority.
    public var database: Secret?

    /// The address that the public listener binds to.
    public var host = "127.0.0.1"

    /// The port that the public listener binds to.
    ///
    /// If the port is 0, a free port is selected. The port must be between 0 and 65,535.
    public var port = 4433

    /// The URL that clients use to reach the server.
    ///
    /// If this is `nil`, the listen address is used. Access tokens contain this URL as their issuer (`iss`),
    /// and proofs of possession must be created for it.
    public var url: String?

    /// The path prefix of the self-service API.
    ///
    /// The prefix must be empty, or start with a slash and not end with one.
    public var basePath = "/a"

    /// The addresses or address ranges, such as `10.0.0.0/8`, of reverse proxies that are trusted to forward
    /// client addresses.
    ///
    /// If this is empty, rate limits and the audit log use the address of the connection.
    public var trustedProxies: [String] = []

    /// The header field that proxies use to forward the client's address.
    public var proxyHeader = ProxyHeader.xForwardedFor

    /// The maximum number of client connections, in total and per address.
    public var connections = ConnectionSettings()

    /// The address, the token and the access rules of the admin listener.
    public var admin = AdminSettings()

    /// The most verbose level of messages that are logged.
    ///
    /// Each log line is a JSON object. At ``LogLevel/trace``, every request is logged.
    public var logLevel = LogLevel.info

    /// The default identity schema and the folder with the operator's own schemas.
    public var schemas = SchemaSettings()

    /// The lifespans, return URLs and texts of all self-service flows.
    public var flows = FlowSettings()

    /// Whether and how users can register, and what happens after they have registered.
    public var registration = RegistrationSettings()

    /// Whether a login requires a verified address.
    public var login = LoginSettings()

    /// The lifespan of one-time codes, the maximum number of guesses, and whether users can log in with a
    /// code.
    public var codes = CodeSettings()

    /// Whether users can recover their accounts, and the URL of the recovery page.
    public var recovery = RecoverySettings()

    /// Whether users can verify addresses.
    public var verification = VerificationSettings()

    /// Settings for users who change their address or password.
    public var changes = AccountChangeSettings()

    /// Settings for deleted accounts.
    public var accounts = AccountSettings()

    /// Settings for the notices that account owners receive.
    public var notices = NoticeSettings()

    /// The lifespans, retention and token prefix of sessions.
    public var sessions = SessionSettings()

    /// The domain and the name of the cookies of browsers.
    public var cookies = CookieSettings()

    /// The operator's own pages for browsers.
    public var ui = UISettings()

    /// The limits and intervals for session events.
    public var events = EventSettings()

    /// The lifespan of device certificates.
    public var certificates = CertificateSettings()

    /// The audience, lifespans and prefixes of access tokens, refresh tokens and signing keys.
    public var tokens = TokenSettings()

    /// The rules for the registration of OAuth clients.
    public var clients = ClientSettings()

    /// The lifespans of the grants of OAuth clients.
    public var provider = ProviderSettings()

    /// The scopes of the operator's own APIs.
    public var scopes = ScopeSettings()

    /// The cost of password hashes and the rules for new passwords.
    public var passwords = PasswordSettings()

    /// The rate limits for accounts, addresses and networks.
    public var limits = LimitSettings()

    /// The retention period of the audit log.
    public var audit = AuditSettings()

    /// The documents that block users without a client, and the retention period of answers.
    public var terms = TermsSettings()

    /// The settings for sending text messages and e-mails, for their templates, and for their retention.
    public var courier = CourierSettings()

    /// The catalog, default region and timeouts of the purchase API.
    ///
    /// The purchase API is disabled by default.
    public var commerce = CommerceSettings()

    /// Where each setting came from.
    ///
    /// Settings with default values are not included. The dictionary is keyed by the paths of ``settings``,
    /// such as `admin.port`.
    package var sources: [String: ConfigurationSource] = [:]

    /// The files that secrets were read from, each with the key of a setting that is stored in the file.
    ///
    /// ``warnings`` checks the permissions of these files.
    package var secretFiles: [String: String] = [:]

    /// The ways to enter an account that are enabled.
    package var signInMethods: SignInMethods {
        SignInMethods(
            password: passwords.isLoginEnabled,
            code: codes.isLoginEnabled,
            recovery: recovery.isEnabled
        )
    }

    /// Creates a configuration with default settings.
    ///
    /// - Parameter data: The folder for the database, the secrets and the certificate authority.
    public init(data: String) {
        self.data = data
    }
}
