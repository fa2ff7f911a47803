public import LatchkeyAccounts
public import LatchkeyCourier
public import LatchkeyModel
public import LatchkeyOAuth
public import LatchkeySelfService
public import LatchkeyServerKit

/// The configuration of a server; each setting has a usable default.
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
    /// `nil` uses a SQLite file in the data folder. Any number of servers can share a PostgreSQL database;
    /// each needs a data folder with the same secrets and certificate authority.
    public var database: Secret?

    /// The address on which the server listens for clients.
    public var host = "127.0.0.1"

    /// The port on which the server listens for clients; 0 selects a free port.
    ///
    /// The port must be between 0 and 65,535.
    public var port = 4433

    /// The URL under which clients reach the server; `nil` uses the address on which it listens.
    ///
    /// It is also the issuer (`iss`) of access tokens, and proofs of possession must contain it.
    public var url: String?

    /// The path prefix of the self-service API.
    ///
    /// It must either be empty, or begin but not end with a slash.
    public var basePath = "/a"

    /// Reverse proxies whose forwarded client address is trusted: addresses, or ranges such as `10.0.0.0/8`.
    ///
    /// If the list is empty, rate limits and the audit log use the address of the connection.
    public var trustedProxies: [String] = []

    /// The header field in which proxies forward the client's address.
    public var proxyHeader = ProxyHeader.xForwardedFor

    /// The limits for client connections.
    public var connections = ConnectionSettings()

    /// Settings for the admin listener.
    public var admin = AdminSettings()

    /// The most verbose level that is logged.
    ///
    /// Each log line is a JSON object. With ``LogLevel/trace``, every request is logged.
    public var logLevel = LogLevel.info

    /// Settings for identity schemas.
    public var schemas = SchemaSettings()

    /// The settings of all self-service flows.
    public var flows = FlowSettings()

    /// Settings for registration.
    public var registration = RegistrationSettings()

    /// Settings for login.
    public var login = LoginSettings()

    /// The settings of one-time codes.
    public var codes = CodeSettings()

    /// Settings for account recovery.
    public var recovery = RecoverySettings()

    /// Settings for address verification.
    public var verification = VerificationSettings()

    /// Settings for changes that users make to their accounts.
    public var changes = AccountChangeSettings()

    /// Settings for notices to account owners.
    public var notices = NoticeSettings()

    /// Settings for sessions.
    public var sessions = SessionSettings()

    /// Settings for device certificates.
    public var certificates = CertificateSettings()

    /// The settings for access tokens, refresh tokens and signing keys.
    public var tokens = TokenSettings()

    /// Settings for passwords and their hashes.
    public var passwords = PasswordSettings()

    /// The rate limits.
    public var limits = LimitSettings()

    /// Settings for the audit log.
    public var audit = AuditSettings()

    /// The settings for sending messages.
    public var courier = CourierSettings()

    /// The source of each setting; a setting without a source has its default value.
    ///
    /// The keys are those of ``settings``, such as `admin.port`.
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
