import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyServerKit

/// The services for accounts and sessions.
///
/// The flows, the token endpoint and the admin API share these services.
struct AccountServices: Sendable {
    /// Stores messages to users in the outbox and sends them.
    let courier: Courier
    /// Renders messages in the user's language.
    let messages: MessageWriter
    /// Computes keyed hashes of identifiers for the audit log.
    let trace: AuditTrace
    let audit: AuditLog
    let limitAudit: LimitAudit
    /// The rate limiter, whose counters are shared by all flows and all nodes.
    let limiter: Limiter
    let networks: KnownNetworks
    /// The rate limits for password logins.
    let passwordLimits: PasswordLimits
    let identities: IdentityRepository
    let sessions: SessionRepository
    let directory: SessionDirectory
    let revoker: SessionRevoker
    /// Rejects breached passwords, if a list of breached passwords is configured.
    let breaches: BreachCheck
    let notices: AccountNotices
    let writer: IdentityWriter
    /// Returns the account data of all modules.
    let data: AccountData
    let deletion: AccountDeletion
    let erasure: AccountErasure

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - urls: The server's URLs.
    ///   - resources: The database and the other external resources.
    ///   - courier: The courier that sends messages to users.
    init(
        _ configuration: ServerConfiguration,
        urls: ServerURLs,
        resources: ServerResources,
        courier: Courier
    ) {
        let (database, random) = (resources.database, resources.random)
        self.courier = courier
        messages = MessageWriter(
            resources.messageTexts,
            app: configuration.courier.app,
            language: configuration.courier.language
        )
        trace = AuditTrace(resources.secrets)
        audit = AuditLog(trace: trace, random: random)
        limitAudit = LimitAudit(database, trace: trace, time: resources.time, random: random)
        limiter = Limiter(
            LimitRules(configuration.effectiveLimits),
            key: resources.secrets.key(for: .limits),
            refusals: resources.metrics.limitRefusals,
            audit: limitAudit,
            corrections: LimitCorrections(database)
        )
        networks = KnownNetworks(key: resources.secrets.key(for: .limits))
        passwordLimits = PasswordLimits(limiter, known: networks)
        identities = IdentityRepository(database: database)
        sessions = SessionRepository(database: database, settings: configuration.sessions)
        directory = SessionDirectory(database: database)
        revoker = SessionRevoker(audit: audit, database: database)
        breaches = BreachCheck(
            list: resources.breaches,
            tolerated: configuration.passwords.toleratedBreaches
        )
        notices = AccountNotices(
            courier: courier,
            limiter: limiter,
            settings: configuration.notices,
            audit: audit,
            messages: messages,
            random: random
        )
        data = .all(random: random)
        deletion = AccountDeletion(
            notices: notices,
            data: data,
            settings: configuration.accounts,
            audit: audit
        )
        erasure = AccountErasure(data: data, audit: audit)
        writer = IdentityWriter(schemas: resources.schemas, urls: urls)
    }
}
