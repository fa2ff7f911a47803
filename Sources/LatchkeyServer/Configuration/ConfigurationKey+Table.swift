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
            "The folder with the secrets, the certificate authority and the SQLite database, if no other database is set."
        ),
        ConfigurationKey(
            "database",
            \.database,
            .databaseURL,
            "The PostgreSQL database, postgres://user@host/name. Defaults to a SQLite file in the data folder."
        ),
        ConfigurationKey("host", \.host, .text, "The listen address of the public listener."),
        ConfigurationKey(
            "port",
            \.port,
            .number(0...65_535),
            "The port of the public listener; 0 selects a free port."
        ),
        ConfigurationKey(
            "url",
            \.url,
            .origin,
            "The public URL of the server, if it differs from the listen address."
        ),
        ConfigurationKey(
            "base_path",
            \.basePath,
            .optionalText,
            "The path prefix of the self-service API."
        ),
        ConfigurationKey(
            "trusted_proxies",
            \.trustedProxies,
            .addressRanges,
            "Addresses of reverse proxies whose forwarded client address is trusted, or ranges such as 10.0.0.0/8."
        ),
        ConfigurationKey(
            "proxy_header",
            \.proxyHeader,
            .choice,
            "The header in which the proxies forward the client address."
        ),
        ConfigurationKey("log.level", \.logLevel, .choice, "The log level; trace logs each request."),
    ]

    private static let people = [
        ConfigurationKey(
            "identities.default_schema",
            \.identities.defaultSchema,
            .text,
            "The identity schema of flows that specify none."
        ),
        ConfigurationKey(
            "identities.registration",
            \.identities.registration,
            .toggle,
            "Whether users may register."
        ),
        ConfigurationKey(
            "identities.schemas",
            \.identities.schemas,
            .optional(.text),
            "A folder of identity schemas, named ID.json, that add to or replace the built-in schemas."
        ),
        ConfigurationKey(
            "flows.return_urls",
            \.identities.returnURLs,
            .list,
            "Allowed return URLs of flows; URLs below them are allowed, too."
        ),
        ConfigurationKey(
            "sessions.token_prefix",
            \.sessionTokenPrefix,
            .optionalText,
            "The prefix of session tokens."
        ),
    ]

    private static let lifespans = [
        ConfigurationKey(
            "flows.lifespan",
            \.lifespans.flow,
            .duration(.seconds(1) ... .seconds(86_400)),
            "The lifespan of login and registration flows."
        ),
        ConfigurationKey(
            "codes.lifespan",
            \.lifespans.code,
            .duration(.seconds(1) ... .seconds(86_400)),
            "How long a one-time code is valid."
        ),
        ConfigurationKey(
            "codes.guesses",
            \.limits.guessesPerCode,
            .number(1...100),
            "How many attempts are allowed per code."
        ),
        ConfigurationKey(
            "sessions.lifespan",
            \.lifespans.session,
            .duration(.seconds(1) ... .seconds(3660 * 86_400)),
            "The lifespan of a session."
        ),
        ConfigurationKey(
            "sessions.retention",
            \.lifespans.endedSession,
            .duration(.zero ... .seconds(3660 * 86_400)),
            "How long ended sessions are retained."
        ),
        ConfigurationKey(
            "audit.retention",
            \.lifespans.auditEvent,
            .duration(.zero ... .seconds(3660 * 86_400)),
            "How long audit events are retained; 0s retains them indefinitely."
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
            "The memory cost of a password hash (Argon2id), in KiB."
        ),
        ConfigurationKey(
            "passwords.passes",
            \.passwords.passes,
            .number(1...100),
            "The time cost of a password hash: the number of Argon2id passes over the memory."
        ),
        ConfigurationKey(
            "passwords.threads",
            \.passwords.threads,
            .number(1...256),
            "How many passwords are hashed concurrently."
        ),
        ConfigurationKey(
            "passwords.queue",
            \.passwords.queue,
            .number(1...100_000),
            "How many passwords may wait to be hashed; further requests receive status 503."
        ),
        ConfigurationKey(
            "passwords.login",
            \.passwords.login,
            .toggle,
            "Whether users may log in with a password."
        ),
        ConfigurationKey(
            "passwords.maximum_length",
            \.passwords.maximumLength,
            .number(64...65_536),
            "The maximum length of a password, in bytes."
        ),
        ConfigurationKey(
            "passwords.breaches",
            \.passwords.breaches,
            .optional(.text),
            "A list of breached passwords in the format of Have I Been Pwned: a folder of ranges, or one file of all hashes."
        ),
        ConfigurationKey(
            "passwords.tolerated_breaches",
            \.passwords.toleratedBreaches,
            .number(0...1_000_000),
            "How often a new password may appear in the list of breached passwords."
        ),
    ]
}
