package import LatchkeyAccounts
import LatchkeyAdmin
package import LatchkeyCommerce
package import LatchkeyCourier
import LatchkeyCrypto
package import LatchkeyOAuth
package import LatchkeyServerKit

/// The services of a server.
///
/// Creating the services doesn't start any background work or open any resources.
package struct ServerServices: Sendable {
    /// The endpoints of the public listener, except for the health and version endpoints.
    package let publicRoutes: [Endpoint]

    /// The endpoints of the admin API.
    package let adminRoutes: [Endpoint]

    /// Revokes device certificates.
    ///
    /// The API has no endpoint for revoking certificates.
    package let revocation: CertificateRevocation

    /// Records exceeded rate limits in the audit log.
    package let limitAudit: LimitAudit
    /// The rate limiter, which must be finished before the database is closed.
    package let limiter: Limiter

    /// Erases accounts that their owners have deleted.
    package let erasure: AccountErasure

    /// The key pairs that sign access tokens.
    ///
    /// The keys are rotated regularly.
    package let signingKeys: SigningKeyRing

    /// Completes purchases whose outcome isn't known yet.
    ///
    /// This is `nil` if there is no catalog.
    package let purchaseRecovery: PurchaseRecovery?

    /// The open session event streams.
    package let eventStreams: EventStreams

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - url: The URL that clients use to reach the server.
    ///   - resources: The database and the other external resources.
    ///   - courier: The courier that sends messages to users.
    ///   - issuer: Issues device certificates. If this is `nil`, the enrollment endpoints are left out.
    package init(
        _ configuration: ServerConfiguration,
        url: String,
        resources: ServerResources,
        courier: Courier,
        issuer: CertificateIssuer?
    ) {
        let (database, secrets, schemas) = (resources.database, resources.secrets, resources.schemas)
        let (time, random, hasher) = (resources.time, resources.random, resources.hasher)
        let urls = ServerURLs(base: url, basePath: configuration.basePath)
        let language = configuration.courier.language
        let accounts = AccountServices(configuration, urls: urls, resources: resources, courier: courier)

        // Tokens.
        let signingKeys = SigningKeyRing(
            database: database,
            secrets: secrets,
            random: random,
            settings: configuration.tokens,
            otherLifespan: resources.catalog == nil ? .zero : CommerceServices.historyLifespan
        )
        let accessTokens = AccessTokenIssuer(
            settings: configuration.tokens,
            issuer: urls.base,
            keys: signingKeys,
            random: random
        )
        let nonces = DPoPNonces(secrets: secrets)
        let proofs = DPoPVerifier(origin: urls.base, nonces: nonces, database: database)
        let accessTokenVerifier = AccessTokenVerifier(tokens: accessTokens, proofs: proofs, nonces: nonces)
        let authenticator = SessionAuthenticator(
            sessions: accounts.sessions,
            privilegedAge: configuration.sessions.privilegedAge
        ) { context in
            try await accessTokenVerifier.token(of: context)
        } proofKey: { context, token in
            try await accessTokenVerifier.provenKey(in: context, for: token)
        }

        // Self-service.
        let flows = FlowServices(
            configuration,
            urls: urls,
            resources: resources,
            accounts: accounts,
            authenticator: authenticator
        )

        var publicRoutes = flows.routes
        publicRoutes +=
            SessionEndpoints(
                authenticator: authenticator,
                sessions: accounts.sessions,
                ending: accounts.revoker,
                writer: accounts.writer
            ).endpoints
        publicRoutes +=
            OwnSessionEndpoints(
                authenticator: authenticator,
                directory: accounts.directory,
                writer: accounts.writer,
                database: database,
                random: random
            ).endpoints
        publicRoutes +=
            OwnAccountEndpoints(
                authenticator: authenticator,
                deletion: accounts.deletion,
                export: AccountExport(
                    database: database,
                    data: accounts.data,
                    directory: accounts.directory,
                    writer: accounts.writer
                ),
                limiter: accounts.limiter,
                audit: accounts.audit,
                database: database
            ).endpoints
        publicRoutes += SchemaEndpoints(schemas: schemas).endpoints
        if let issuer {
            publicRoutes +=
                CertificateEnrolment(
                    issuer: issuer,
                    sessions: authenticator,
                    limiter: accounts.limiter,
                    notices: accounts.notices,
                    settings: configuration.certificates,
                    sessionSettings: configuration.sessions,
                    database: database,
                    audit: accounts.audit
                ).endpoints
        }
        publicRoutes +=
            TokenEndpoints(
                settings: configuration.tokens,
                proofs: proofs,
                secrets: secrets,
                database: database,
                accessTokens: accessTokens,
                sessions: accounts.sessions,
                revoker: accounts.revoker,
                audit: accounts.audit,
                limiter: accounts.limiter
            ).endpoints
        publicRoutes +=
            KeySetEndpoints(settings: configuration.tokens, issuer: urls.base, keys: signingKeys).endpoints

        // Purchases.
        let commerce = resources.catalog.map { catalog in
            CommerceServices(
                catalog: catalog,
                settings: configuration.commerce,
                issuer: urls.base,
                audience: configuration.tokens.audience,
                dependencies: CommerceServices.Dependencies(
                    authenticator: authenticator,
                    limiter: accounts.limiter,
                    audit: accounts.audit,
                    notices: accounts.notices,
                    database: database,
                    time: time,
                    random: random,
                    erasedPayments: resources.metrics.erasedPayments
                ),
                sign: { payload, type, now in try await signingKeys.sign(payload, type: type, at: now) }
            )
        }
        publicRoutes += commerce?.publicRoutes ?? []
        purchaseRecovery = commerce?.recovery
        let events = SessionEventEndpoints(
            authenticator: authenticator,
            sessions: accounts.sessions,
            broadcast: database.broadcast,
            sources: commerce.map { [$0.events] } ?? [],
            settings: configuration.effectiveEvents,
            limit: configuration.eventStreams,
            metrics: resources.metrics.events,
            time: time,
            random: random
        )
        if configuration.events.isEnabled { publicRoutes += events.endpoints }
        self.publicRoutes = publicRoutes

        // Administration.
        let administration = IdentityAdministration(
            identities: accounts.identities,
            erasure: accounts.erasure,
            drafts: DraftValidator(
                breaches: accounts.breaches,
                passwordSettings: configuration.passwords,
                schemas: schemas,
                methods: configuration.signInMethods,
                hasher: hasher
            ),
            passwordLimits: accounts.passwordLimits,
            random: random,
            audit: accounts.audit,
            database: database
        )
        var adminRoutes = IdentityEndpoints(
            administration: administration,
            directory: IdentityDirectory(database: database, schemas: schemas),
            writer: accounts.writer
        ).endpoints
        adminRoutes +=
            SessionAdminEndpoints(
                sessions: accounts.sessions,
                directory: accounts.directory,
                administration: SessionAdministration(
                    revoker: accounts.revoker,
                    data: accounts.data,
                    sessionSettings: configuration.sessions,
                    database: database,
                    random: random
                ),
                writer: accounts.writer
            ).endpoints
        adminRoutes += AddressEndpoints(administration: administration).endpoints
        adminRoutes +=
            RecoveryCodes(
                identities: accounts.identities,
                language: language,
                keys: flows.codeKeys,
                flows: flows.repository,
                lifecycle: flows.lifecycle,
                settings: configuration.recovery,
                codeSettings: configuration.codes,
                urls: urls,
                random: random,
                audit: accounts.audit,
                database: database
            ).endpoints
        adminRoutes += MessageEndpoints(directory: MessageDirectory(database: database)).endpoints
        adminRoutes += AuditEndpoints(database: database).endpoints
        adminRoutes += commerce?.adminRoutes ?? []
        adminRoutes += SchemaEndpoints(schemas: schemas).endpoints + [VersionEndpoint().endpoint]
        self.adminRoutes = AdminEndpoints.routes(adminRoutes)
        revocation = CertificateRevocation(database: database, time: time)
        limitAudit = accounts.limitAudit
        limiter = accounts.limiter
        erasure = accounts.erasure
        eventStreams = events.streams
        self.signingKeys = signingKeys
    }
}
