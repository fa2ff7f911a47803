extension ConfigurationKey {
    /// All settings; files, environment variables, flags and help are derived from this table.
    package static let all: [ConfigurationKey] =
        listening + connections + admin + people + selfService + lifespans + tokens + passwords + limits
        + courier

    private static let listening = [
        ConfigurationKey(
            "data",
            \.data,
            .text,
            "The folder that holds the secrets, the certificate authority and, unless there is another, the database."
        ),
        ConfigurationKey(
            "database",
            \.database,
            .databaseURL,
            "The PostgreSQL database, postgres://user@host/name; a SQLite file in the data folder when not set."
        ),
        ConfigurationKey("host", \.host, .text, "The address to listen on for clients."),
        ConfigurationKey(
            "port",
            \.port,
            .number(0...65_535),
            "The port to listen on for clients; 0 takes a free one."
        ),
        ConfigurationKey(
            "url",
            \.url,
            .origin,
            "The address under which clients reach the server, when it is not what it listens on."
        ),
        ConfigurationKey(
            "base_path",
            \.basePath,
            .optionalText,
            "What stands before the paths of the self-service API."
        ),
        ConfigurationKey(
            "trusted_proxies",
            \.trustedProxies,
            .addressRanges,
            "Addresses of reverse proxies that are believed about their clients, or ranges such as 10.0.0.0/8."
        ),
        ConfigurationKey(
            "proxy_header",
            \.proxyHeader,
            .choice,
            "The header in which the proxies say whom they were called by."
        ),
        ConfigurationKey("log.level", \.logLevel, .choice, "How much is logged; trace logs each request."),
    ]

    private static let people = [
        ConfigurationKey(
            "identities.default_schema",
            \.identities.defaultSchema,
            .text,
            "The identity schema of flows that name none."
        ),
        ConfigurationKey(
            "identities.registration",
            \.identities.registration,
            .toggle,
            "Whether people may register."
        ),
        ConfigurationKey(
            "identities.schemas",
            \.identities.schemas,
            .optional(.text),
            "A folder of identity schemas, ID.json each, beside those that come with the server or in their place."
        ),
        ConfigurationKey(
            "flows.return_urls",
            \.identities.returnURLs,
            .list,
            "Addresses to which a flow may lead its person when it is over, and all that lies below them."
        ),
        ConfigurationKey(
            "sessions.token_prefix",
            \.sessionTokenPrefix,
            .optionalText,
            "What session tokens begin with."
        ),
    ]

    private static let lifespans = [
        ConfigurationKey(
            "flows.lifespan",
            \.lifespans.flow,
            .duration(.seconds(1) ... .seconds(86_400)),
            "How long a login or a registration may take."
        ),
        ConfigurationKey(
            "codes.lifespan",
            \.lifespans.code,
            .duration(.seconds(1) ... .seconds(86_400)),
            "How long a one-time code is good."
        ),
        ConfigurationKey(
            "codes.guesses",
            \.limits.guessesPerCode,
            .number(1...100),
            "How many guesses one code takes."
        ),
        ConfigurationKey(
            "sessions.lifespan",
            \.lifespans.session,
            .duration(.seconds(1) ... .seconds(3660 * 86_400)),
            "How long a session lives."
        ),
        ConfigurationKey(
            "sessions.retention",
            \.lifespans.endedSession,
            .duration(.zero ... .seconds(3660 * 86_400)),
            "For how long a session is kept after its end, for those who look back."
        ),
        ConfigurationKey(
            "audit.retention",
            \.lifespans.auditEvent,
            .duration(.zero ... .seconds(3660 * 86_400)),
            "How long events of the audit log are stored; 0s keeps them for good."
        ),
        ConfigurationKey(
            "sessions.provisional_lifespan",
            \.lifespans.provisionalSession,
            .duration(.seconds(1) ... .seconds(86_400)),
            "How long a session may wait for its device certificate."
        ),
        ConfigurationKey(
            "certificates.lifespan",
            \.lifespans.certificate,
            .duration(.seconds(1) ... .seconds(3660 * 86_400)),
            "How long a device certificate is valid."
        ),
    ]

    private static let passwords = [
        ConfigurationKey(
            "passwords.memory_kib",
            \.passwords.memory,
            .number(8...4_194_304),
            "The memory of one password hash (Argon2id), in KiB."
        ),
        ConfigurationKey(
            "passwords.passes",
            \.passwords.passes,
            .number(1...100),
            "How often a password hash fills its memory."
        ),
        ConfigurationKey(
            "passwords.threads",
            \.passwords.threads,
            .number(1...256),
            "How many passwords are hashed at the same time."
        ),
        ConfigurationKey(
            "passwords.queue",
            \.passwords.queue,
            .number(1...100_000),
            "How many passwords may wait to be hashed; beyond it the answer is 503."
        ),
        ConfigurationKey(
            "passwords.login",
            \.passwords.login,
            .toggle,
            "Whether people may log in with a password."
        ),
        ConfigurationKey(
            "passwords.maximum_length",
            \.passwords.maximumLength,
            .number(64...65_536),
            "The longest password, in bytes."
        ),
        ConfigurationKey(
            "passwords.breaches",
            \.passwords.breaches,
            .optional(.text),
            "A list of breached passwords as Have I Been Pwned has it: a folder of ranges, or one file of all hashes."
        ),
        ConfigurationKey(
            "passwords.tolerated_breaches",
            \.passwords.toleratedBreaches,
            .number(0...1_000_000),
            "How often a new password may have come to light."
        ),
    ]
}
