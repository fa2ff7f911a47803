import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyServerKit

/// The services for accounts and sessions, which flows, the token endpoint and the admin API share.
struct AccountServices: Sendable {
    /// The outbox of messages to users.
    let courier: Courier
    /// Renders messages in the language of the user.
    let messages: MessageWriter
    /// Computes the keyed hashes of identifiers in the audit log.
    let trace: AuditTrace
    let audit: AuditLog
    let limitAudit: LimitAudit
    /// The rate limiter, whose counters are shared by all flows and nodes.
    let limiter: Limiter
    let networks: KnownNetworks
    let identities: IdentityRepository
    let sessions: SessionRepository
    let directory: SessionDirectory
    let revoker: SessionRevoker
    /// Rejects breached passwords if a list is configured.
    let breaches: BreachCheck
    let notices: AccountNotices
    let writer: IdentityWriter
    /// The data about accounts that other modules store.
    let data: AccountData
    let deletion: AccountDeletion
    let erasure: AccountErasure

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - urls: The URLs of the server.
    ///   - resources: The database and the other external resources.
    ///   - courier: The courier for messages to users.
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
        limitAudit = LimitAudit(database, trace: trace, random: random)
        limiter = Limiter(
            LimitRules(configuration.limits),
            key: resources.secrets.key(for: .limits),
            refusals: resources.metrics.limitRefusals,
            audit: limitAudit
        )
        networks = KnownNetworks(key: resources.secrets.key(for: .limits))
        identities = IdentityRepository(database: database)
        sessions = SessionRepository(database: database)
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
