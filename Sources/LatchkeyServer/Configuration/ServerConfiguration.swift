public import LatchkeyModel

/// Everything that an operator decides about a server; what is not set has a usable default.
///
/// The same settings come from a JSON5 file, from `LATCHKEY_…` variables and from flags:
/// ``load(file:environment:flags:)``.
public struct ServerConfiguration: Sendable {
    /// The folder that holds the secrets, the certificate authority and, unless there is another, the database.
    public var data: String

    /// The PostgreSQL database, such as `postgres://user:password@host/name?sslmode=verify-full`.
    ///
    /// Nothing means a SQLite file in the data folder. Any number of servers may use one database; each has a data
    /// folder with the same secrets and certificate authority.
    public var database: Secret?

    /// The address to listen on for clients.
    public var host = "127.0.0.1"

    /// The port to listen on for clients; 0 takes a free one.
    public var port = 4433

    /// The address under which clients reach the server; nothing means what it listens on.
    public var url: String?

    /// What stands before the paths of the self-service API.
    public var basePath = "/a"

    /// The header field in which proxies say whom they were called by.
    public enum ProxyHeader: String, Sendable, CaseIterable {
        /// The one that most proxies write.
        case xForwardedFor = "x-forwarded-for"
        /// The one of RFC 7239.
        case forwarded
    }

    /// Addresses of reverse proxies that are believed, or ranges such as `10.0.0.0/8`.
    public var trustedProxies: [String] = []

    /// Where the proxies say whom they were called by.
    public var proxyHeader = ProxyHeader.xForwardedFor

    /// How many connections clients may have.
    public var connections = Connections()

    /// The operator's own listener.
    public var admin = Admin()

    /// How much is logged.
    public var logLevel = LogLevel.info

    /// Which identities there are.
    public var identities = Identities()

    /// What people may do by themselves, and what follows from it.
    public var selfService = SelfService()

    /// Flows, codes and sessions.
    public var lifespans = Lifespans()

    /// What session tokens begin with.
    public var sessionTokenPrefix = "lk_st_"

    /// Token pairs for devices that have a certificate.
    public var tokens = Tokens()

    /// How passwords are hashed.
    public var passwords = Passwords()

    /// What one client may do how often.
    public var limits = Limits()

    /// How messages are sent.
    public var courier = Courier()

    /// Where each setting came from; a setting that is missing here has its default.
    package var sources: [String: ConfigurationSource] = [:]

    /// The files that secrets were read from, each with one of their settings.
    package var secretFiles: [String: String] = [:]

    /// Creates a configuration of defaults.
    ///
    /// - Parameter data: The folder for the database, the secrets and the certificate authority.
    public init(data: String) {
        self.data = data
    }
}
