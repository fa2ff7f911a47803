public import LatchkeyAccounts
public import LatchkeyCommerce
public import LatchkeyCourier
public import LatchkeyModel
public import LatchkeyOAuth
public import LatchkeySelfService
public import LatchkeyServerKit

/// The configuration of a server, in which each setting has a usable default.
///
/// ``load(file:environment:flags:)`` reads the same settings from a JSON5 file, `LATCHKEY_…` environment
/// variables and flags.
public struct ServerConfiguration: Sendable {
    /// The folder for the secrets, the certificate authority and, unless ``database`` is set, the SQLite
    /// database.
    ///
    /// The server creates the folder with access for its owner only, and does not start if other users can
    /// access it.
    public var data: String

    /// The URL of a PostgreSQL database, such as `postgres://user:password@host/name?sslmode=verify-full`.
    ///
    /// `nil` uses a SQLite file in the data folder. Any number of servers can share a PostgreSQL database if
    /// their data folders contain the same secrets and certificate authority.
    public var database: Secret?

    /// The address on which the server listens for clients.
    public var host = "127.0.0.1"

    /// The port on which the server listens for clients; 0 selects a free port.
    ///
    /// The port must be between 0 and 65,535.
    public var port = 4433

    /// The URL under which clients reach the server; `nil` uses the address on which it listens.
    ///
    /// The URL is also the issuer (`iss`) of access tokens, and proofs of possession must contain it.
    public var url: String?

    /// The path prefix of the self-service API.
    ///
    /// The prefix must either be empty, or begin but not end with a slash.
    public var basePath = "/a"

    /// The addresses or ranges (such as `10.0.0.0/8`) of reverse proxies whose forwarded client addresses are
    /// trusted.
    ///
    /// If the list is empty, rate limits and the audit log use the address of the connection.
    public var trustedProxies: [String] = []

    /// The header field in which proxies forward the client's address.
    public var proxyHeader = ProxyHeader.xForwardedFor

    /// The maximum numbers of client connections, in total and from one address.
    public var connections = ConnectionSettings()

    /// The address, the token and the access rules of the admin listener.
    public var admin = AdminSettings()

    /// The most verbose level that is logged.
    ///
    /// Each log line is a JSON object. With ``LogLevel/trace``, every request is logged.
    public var logLevel = LogLevel.info

    /// The default identity schema, and the folder of the operator's own schemas.
    public var schemas = SchemaSettings()

    /// The lifespans, return URLs and texts of all self-service flows.
    public var flows = FlowSettings()

    /// Whether and how users can register, and what happens after a registration.
    public var registration = RegistrationSettings()

    /// Whether a login requires a verified address.
    public var login = LoginSettings()

    /// The lifespan of one-time codes, the number of guesses, and whether users can log in with a code.
    public var codes = CodeSettings()

    /// Whether users can recover accounts, and the URL of the recovery page.
    public var recovery = RecoverySettings()

    /// Whether users can verify addresses.
    public var verification = VerificationSettings()

    /// The effects of changes that users make to their addresses and passwords.
    public var changes = AccountChangeSettings()

    /// Settings for accounts that their owners delete.
    public var accounts = AccountSettings()

    /// Settings for notices to account owners.
    public var notices = NoticeSettings()

    /// The lifespans, retention and token prefix of sessions.
    public var sessions = SessionSettings()

    /// The limits and intervals of session events.
    public var events = EventSettings()

    /// The lifespan of device certificates.
    public var certificates = CertificateSettings()

    /// The audience, lifespans and prefixes of access tokens, refresh tokens and signing keys.
    public var tokens = TokenSettings()

    /// The cost of password hashes, and the rules for new passwords.
    public var passwords = PasswordSettings()

    /// The rate limits for accounts, addresses and networks.
    public var limits = LimitSettings()

    /// The retention period of the audit log.
    public var audit = AuditSettings()

    /// The transports, texts and retention of text messages and e-mail.
    public var courier = CourierSettings()

    /// The catalog, the default region and the timeouts of the purchase API, which is off by default.
    public var commerce = CommerceSettings()

    /// The source of each setting.
    ///
    /// A setting without a source has its default value.
    ///
    /// The keys are the paths of ``settings``, such as `admin.port`.
    package var sources: [String: ConfigurationSource] = [:]

    /// The paths of the files from which secrets were read, each with the key of one of the settings in the
    /// file.
    ///
    /// ``warnings`` checks the permissions of these files.
    package var secretFiles: [String: String] = [:]

    /// Creates a configuration with default settings.
    ///
    /// - Parameter data: The folder for the database, the secrets and the certificate authority.
    public init(data: String) {
        self.data = data
    }
}
