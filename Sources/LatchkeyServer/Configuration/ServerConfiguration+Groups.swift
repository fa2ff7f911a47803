public import LatchkeyModel

extension ServerConfiguration {
    /// The admin listener: the administration API, metrics, and the outbox of the development courier.
    public struct Admin: Sendable {
        /// The credentials required for metrics.
        public enum MetricsAccess: String, Sendable, CaseIterable {
            /// The admin token, as for every other request.
            case token
            /// No credentials.
            case open
        }

        /// The address to listen on.
        public var host = "127.0.0.1"

        /// The port to listen on; 0 selects a free one.
        public var port = 4434

        /// The bearer token of callers, of at least 16 bytes.
        ///
        /// If `nil`, a token is derived from the secrets: it is the same on all servers with the same
        /// secrets, and each server writes it to `admin.token` in its data folder.
        public var token: Secret?

        /// Whether callers on this machine need no token, except web pages; requires a loopback address.
        public var open = false

        /// The credentials required for metrics.
        public var metrics = MetricsAccess.token

        /// Creates the defaults.
        public init() {}
    }

    /// Limits for client connections; the admin listener has its own.
    public struct Connections: Sendable {
        /// The maximum number of open connections; lowered if the process may not open that many descriptors.
        public var limit = 4096

        /// The maximum for one IPv4 address or IPv6 /64, twice as many for a /48; 0 means no limit.
        ///
        /// `nil` means a quarter of ``limit``, or no limit if there are trusted proxies.
        public var perAddress: Int?

        /// Creates the defaults.
        public init() {}
    }

    /// The identity schemas, registration and the allowed return URLs.
    public struct Identities: Sendable {
        /// The identity schema of flows that do not name one.
        public var defaultSchema = "customer"

        /// Whether users can register.
        public var registration = true

        /// A folder of identity schemas, `ID.json` each, which add to the built-in ones or override them.
        public var schemas: String?

        /// Allowed return URLs of flows; everything below them is allowed, too.
        public var returnURLs: [String] = []

        /// Creates the defaults.
        public init() {}
    }

    /// Lifespans and retention periods.
    public struct Lifespans: Sendable {
        /// The lifespan of a login or registration flow.
        public var flow: Duration = .seconds(600)

        /// The lifespan of a settings, recovery or verification flow.
        public var accountFlow: Duration = .seconds(3600)

        /// The lifespan of a one-time code.
        public var code: Duration = .seconds(600)

        /// The lifespan of a session.
        public var session: Duration = .seconds(30 * 86_400)

        /// The lifespan of a session that still lacks its device certificate.
        public var provisionalSession: Duration = .seconds(900)

        /// The retention period of ended sessions.
        public var endedSession: Duration = .seconds(30 * 86_400)

        /// The retention period of audit events; zero keeps them forever.
        public var auditEvent: Duration = .seconds(400 * 86_400)

        /// The retention period of messages that were sent or abandoned.
        public var sentMessage: Duration = .seconds(7 * 86_400)

        /// The validity period of a device certificate.
        public var certificate: Duration = .seconds(90 * 86_400)

        /// Creates the defaults.
        public init() {}
    }

    /// The settings of access tokens, refresh tokens and signing keys.
    public struct Tokens: Sendable {
        /// The `aud` claim of access tokens; `nil` for the URL of the server.
        public var audience: String?

        /// The client ID that callers of the token endpoint use.
        public var clientID = "latchkey"

        /// The lifespan of an access token.
        public var accessLifespan: Duration = .seconds(600)

        /// The prefix of refresh tokens.
        public var refreshPrefix = "lk_rt_"

        /// The period in which a key signs access tokens before it is rotated.
        public var keyLifespan: Duration = .seconds(30 * 86_400)

        /// Creates the defaults.
        public init() {}
    }

    /// The settings of passwords and their hashes (Argon2id).
    public struct Passwords: Sendable {
        /// The memory of one hash, in KiB.
        public var memory = 19_456

        /// The number of passes over the memory.
        public var passes = 2

        /// The number of hashes that are computed concurrently.
        public var threads = 2

        /// The maximum number of waiting hashes; further requests are rejected with 503.
        public var queue = 64

        /// Whether users can log in with a password.
        public var login = true

        /// The maximum length of a password in bytes.
        public var maximumLength = 1024

        /// A list of breached passwords: a folder of ranges, or one file of all hashes.
        public var breaches: String?

        /// The number of breaches that a new password may have appeared in.
        public var toleratedBreaches = 0

        /// Creates the defaults.
        public init() {}
    }
}
