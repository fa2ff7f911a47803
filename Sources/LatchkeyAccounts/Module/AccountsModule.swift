package import LatchkeyCourier
import LatchkeyModel
package import LatchkeyServerKit

/// Identities, sessions, device certificates, OAuth clients, rate limits and the audit log.
///
/// The properties are the services that other modules use.
package struct AccountsModule: ServerModule {
    /// The settings of the module.
    package struct Settings: Sendable {
        package var sessions = SessionSettings()
        package var passwords = PasswordSettings()
        package var notices = NoticeSettings()
        package var accounts = AccountSettings()
        package var audit = AuditSettings()
        package var certificates = CertificateSettings()
        package var limits = LimitSettings()
        package var events = EventSettings()
        package var clients = ClientSettings()
        /// The id that this server's own app has in access tokens (`tokens.client_id`).
        package var ownAppID: String?
        /// The maximum number of event streams and waiting polls on this node.
        package var eventStreams = Int.max

        package init() {}
    }

    /// The resources that only this module opens or counts.
    package struct Resources: Sendable {
        package var schemas: SchemaCatalog
        package var hasher: any PasswordHasher
        /// The list of breached passwords, or `nil` if the operator hasn't configured one.
        package var breaches: (any BreachedPasswords)?
        /// Issues device certificates, or `nil` to leave out the routes for certificates.
        package var issuer: CertificateIssuer?
        package var limitRefusals = CounterTable<MeteredLimit>(.limitRefusals)
        package var events = EventMetrics()

        package init(schemas: SchemaCatalog, hasher: any PasswordHasher) {
            self.schemas = schemas
            self.hasher = hasher
        }
    }

    package static var migrations: [Migration] { .accounts }

    package static var accountData: any AccountDataPart { CredentialData() }

    package let schemas: SchemaCatalog
    package let hasher: any PasswordHasher
    package let courier: Courier
    package let messages: MessageWriter
    package let audit: AuditLog
    package let limiter: Limiter
    package let networks: KnownNetworks
    package let passwordLimits: PasswordLimits
    package let identities: IdentityRepository
    package let sessions: SessionRepository
    package let directory: SessionDirectory
    package let revoker: SessionRevoker
    package let breaches: BreachCheck
    package let notices: AccountNotices
    package let writer: IdentityWriter
    package let data: AccountData
    package let duties: Duties
    package let deletion: AccountDeletion
    package let erasure: AccountErasure
    package let authenticator: SessionAuthenticator
    /// Revokes device certificates.
    package let revocation: CertificateRevocation
    package let clients: ClientRegistry
    package let clientRules: ClientRules
    package let sessionSettings: SessionSettings
    package let passwordSettings: PasswordSettings

    package let routes: [Endpoint]
    package let operatorRoutes: [Endpoint]
    package let workers: [any ServerWorker]
    package let expiredRows: [ExpiredRows]

    /// Creates the services.
    ///
    /// The data, the reader of access tokens and the sources of session events and duties come from other modules.
    package init(
        _ environment: ServerEnvironment,
        settings: Settings,
        resources: Resources,
        courier: CourierModule,
        data: AccountData,
        accessTokens: any AccessTokenReader,
        eventSources: [SessionEventSource],
        dutySources: [any DutySource] = []
    ) {
        let (database, time, random) = (environment.database, environment.time, environment.random)
        let limitKey = environment.secrets.key(for: .limits)
        let trace = AuditTrace(environment.secrets)
        self.courier = courier.courier
        self.data = data
        messages = courier.messages
        schemas = resources.schemas
        hasher = resources.hasher
        sessionSettings = settings.sessions
        passwordSettings = settings.passwords
        audit = AuditLog(trace: trace, random: random)
        limiter = Limiter(
            LimitRules(settings.limits),
            key: limitKey,
            refusals: resources.limitRefusals,
            audit: LimitAudit(database, trace: trace, time: time, random: random),
            corrections: LimitCorrections(database)
        )
        networks = KnownNetworks(key: limitKey)
        passwordLimits = PasswordLimits(limiter, known: networks)
        identities = IdentityRepository(database: database)
        sessions = SessionRepository(database: database, settings: settings.sessions)
        directory = SessionDirectory(database: database)
        revoker = SessionRevoker(audit: audit, database: database)
        breaches = BreachCheck(list: resources.breaches, tolerated: settings.passwords.toleratedBreaches)
        notices = AccountNotices(
            courier: courier.courier,
            limiter: limiter,
            settings: settings.notices,
            audit: audit,
            messages: courier.messages,
            random: random
        )
        deletion = AccountDeletion(notices: notices, data: data, settings: settings.accounts, audit: audit)
        erasure = AccountErasure(data: data, audit: audit)
        writer = IdentityWriter(schemas: resources.schemas, urls: environment.urls)
        revocation = CertificateRevocation(database: database, time: time)
        clients = ClientRegistry(database: database, time: time, ownAppID: settings.ownAppID)
        duties = Duties(
            dutySources + [WaivedFieldDuties(), RequiredFieldDuties(schemas: resources.schemas)],
            sessions: sessions,
            clients: clients
        )
        clientRules = ClientRules(settings.clients, schemas: resources.schemas)
        authenticator = SessionAuthenticator(
            sessions: sessions,
            privilegedAge: settings.sessions.privilegedAge,
            cookie: environment.cookies.session,
            origins: environment.origins,
            duties: duties,
            accessTokens: accessTokens
        )

        let events = SessionEventEndpoints(
            authenticator: authenticator,
            sessions: sessions,
            broadcast: database.broadcast,
            sources: eventSources,
            duties: duties,
            settings: settings.events,
            limit: settings.eventStreams,
            metrics: resources.events,
            time: time,
            random: random
        )
        let schemaRoutes = SchemaEndpoints(schemas: resources.schemas).endpoints
        var routes = SessionEndpoints(
            authenticator: authenticator,
            sessions: sessions,
            ending: revoker,
            duties: duties,
            writer: writer
        ).endpoints
        routes +=
            OwnSessionEndpoints(
                authenticator: authenticator,
                directory: directory,
                writer: writer,
                database: database,
                random: random
            ).endpoints
        routes +=
            OwnAccountEndpoints(
                authenticator: authenticator,
                deletion: deletion,
                export: AccountExport(database: database, data: data, directory: directory, writer: writer),
                limiter: limiter,
                audit: audit,
                database: database
            ).endpoints
        routes += schemaRoutes
        routes += ClientInfoEndpoints(clients: clients, limiter: limiter, database: database).endpoints
        if let issuer = resources.issuer {
            routes +=
                CertificateEnrolment(
                    issuer: issuer,
                    sessions: authenticator,
                    limiter: limiter,
                    notices: notices,
                    settings: settings.certificates,
                    sessionSettings: settings.sessions,
                    database: database,
                    audit: audit
                ).endpoints
        }
        if settings.events.isEnabled { routes += events.endpoints }
        self.routes = routes
        // Kratos clients request the schemas from the admin listener, too.
        operatorRoutes = schemaRoutes.map(\.refusingUnknownParameters)
        workers = [events.streams] + (resources.issuer.map { [$0] } ?? []) + [limiter]
        expiredRows = Self.expiredRows(of: settings, data: data, erasure: erasure)
    }

    private static func expiredRows(
        of settings: Settings,
        data: AccountData,
        erasure: AccountErasure
    ) -> [ExpiredRows] {
        var rows: [ExpiredRows] = []
        if let idleLifespan = settings.sessions.idleLifespan {
            // Sessions that were created before the operator set the limit get it here.
            rows.append(
                ExpiredRows(.idleSessions) { now, limit, transaction in
                    try SessionRepository.applyIdleLifespan(
                        idleLifespan,
                        at: now,
                        atMost: limit,
                        in: transaction
                    )
                }
            )
        }
        rows.append(
            ExpiredRows(.sessions) { [retention = settings.sessions.retention] now, limit, transaction in
                try SessionRepository.deleteExpired(
                    before: now - retention,
                    atMost: limit,
                    with: data,
                    in: transaction
                )
            }
        )
        rows.append(
            ExpiredRows(.limits) { now, limit, transaction in
                try LimitRepository.deleteExpired(at: now, atMost: limit, in: transaction)
            }
        )
        // If the retention period is zero, events are kept forever.
        if settings.audit.retention > .zero {
            rows.append(
                ExpiredRows(.auditEvents) { [retention = settings.audit.retention] now, limit, transaction in
                    try AuditLog.deleteEvents(before: now - retention, atMost: limit, in: transaction)
                }
            )
        }
        rows.append(
            ExpiredRows(
                .accounts,
                byTransactions: { now, limit, database in
                    try await erasure.eraseDeleted(at: now, atMost: limit, in: database)
                }
            )
        )
        rows.append(
            ExpiredRows(
                .accounts,
                byTransactions: { now, limit, database in
                    try await erasure.eraseStranded(at: now, atMost: limit, in: database)
                }
            )
        )
        rows.append(
            ExpiredRows(
                .accounts,
                byTransactions: { now, limit, database in
                    try await erasure.eraseLapsed(at: now, atMost: limit, in: database)
                }
            )
        )
        return rows
    }
}

extension ExpiredRows.Kind {
    /// Sessions that are changed to end after the idle lifespan.
    package static let idleSessions: Self = "idle sessions"
    package static let sessions: Self = "sessions"
    package static let limits: Self = "limits"
    package static let auditEvents: Self = "audit events"
    /// Accounts that their owners have deleted, that no user can log in to any more, or whose users have never
    /// confirmed their sign-up.
    package static let accounts: Self = "accounts"
}

extension EventStreams: ServerWorker {
    package func endWaits() { close() }

    package func stop() async { close() }
}

extension CertificateIssuer: ServerWorker {
    package func stop() async { await shutDown() }
}

extension Limiter: ServerWorker {
    package func stop() async { await finish() }
}
