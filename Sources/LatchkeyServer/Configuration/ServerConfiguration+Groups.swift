public import LatchkeyModel

extension ServerConfiguration {
    /// The admin listener: the administration API, metrics, and the outbox of the development courier.
    public struct Admin: Sendable {
        /// The credentials for requests for metrics.
        public enum MetricsAccess: String, Sendable, CaseIterable {
            /// The admin token, as every other request.
            case token
            /// Nothing.
            case open
        }

        /// The address to listen on.
        public var host = "127.0.0.1"

        /// The port to listen on; 0 takes a free one.
        public var port = 4434

        /// The bearer token that callers must show, of at least 16 bytes.
        ///
        /// `nil` derives one from the secrets: it is the same on all servers with the same secrets, and each writes it
        /// to `admin.token` in its data folder.
        public var token: Secret?

        /// Whether callers on this machine need no token, unless they are web pages; for a loopback address only.
        public var open = false

        /// The credentials for requests for metrics.
        public var metrics = MetricsAccess.token

        /// Creates the defaults.
        public init() {}
    }

    /// How many connections clients may have; the admin listener has its own.
    public struct Connections: Sendable {
        /// How many may be open at a time, as far as the process may open descriptors.
        public var limit = 4096

        /// How many of them one IPv4 address or IPv6 /64 may have, and a /48 twice as many; 0 for any number.
        ///
        /// `nil` means a quarter of all, or any number when there are trusted proxies.
        public var perAddress: Int?

        /// Creates the defaults.
        public init() {}
    }

    /// Which identities there are and how they come to be.
    public struct Identities: Sendable {
        /// The schema of flows that name none.
        public var defaultSchema = "customer"

        /// Whether people may register.
        public var registration = true

        /// A folder of identity schemas, `ID.json` each, beside those that come with the server or in their place.
        public var schemas: String?

        /// Addresses to which a flow may lead its person when it is over, and all that lies below them.
        public var returnURLs: [String] = []

        /// Creates the defaults.
        public init() {}
    }

    /// How long things live.
    public struct Lifespans: Sendable {
        /// How long a login or a registration may take.
        public var flow: Duration = .seconds(600)

        /// How long a change of settings, a recovery or a verification may take.
        public var accountFlow: Duration = .seconds(3600)

        /// How long a one-time code is good.
        public var code: Duration = .seconds(600)

        /// How long a session lives.
        public var session: Duration = .seconds(30 * 86_400)

        /// How long a session may wait for its device certificate.
        public var provisionalSession: Duration = .seconds(900)

        /// For how long a session is kept after its end, for those who look back.
        public var endedSession: Duration = .seconds(30 * 86_400)

        /// How long events of the audit log are stored; zero keeps them for good.
        public var auditEvent: Duration = .seconds(400 * 86_400)

        /// For how long a message is kept after it was sent or given up.
        public var sentMessage: Duration = .seconds(7 * 86_400)

        /// How long a device certificate is valid.
        public var certificate: Duration = .seconds(90 * 86_400)

        /// Creates the defaults.
        public init() {}
    }

    /// Access tokens, refresh tokens and the keys behind them.
    public struct Tokens: Sendable {
        /// Whom access tokens are for; nothing means the server itself.
        public var audience: String?

        /// What clients of the token endpoint are called.
        public var clientID = "latchkey"

        /// How long an access token lives.
        public var accessLifespan: Duration = .seconds(600)

        /// What refresh tokens begin with.
        public var refreshPrefix = "lk_rt_"

        /// For how long a key signs access tokens, before the next one does.
        public var keyLifespan: Duration = .seconds(30 * 86_400)

        /// Creates the defaults.
        public init() {}
    }

    /// How passwords are hashed (Argon2id).
    public struct Passwords: Sendable {
        /// The memory of one hash, in KiB.
        public var memory = 19_456

        /// How often the memory is filled.
        public var passes = 2

        /// How many hashes are made at the same time.
        public var threads = 2

        /// How many hashes may wait; beyond it, clients are asked to come again.
        public var queue = 64

        /// Whether people may log in with a password.
        public var login = true

        /// The longest password, in bytes.
        public var maximumLength = 1024

        /// A list of passwords that came to light in breaches: a folder of ranges, or one file of all hashes.
        public var breaches: String?

        /// How often a new password may have come to light.
        public var toleratedBreaches = 0

        /// Creates the defaults.
        public init() {}
    }
}
