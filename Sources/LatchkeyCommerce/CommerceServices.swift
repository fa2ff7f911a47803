package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The services of the purchase API.
package struct CommerceServices: Sendable {
    /// How long a purchase history is valid after it has been signed.
    package static let historyLifespan = HistoryEndpoints.lifespan

    /// The endpoints of the public listener.
    package let publicRoutes: [Endpoint]
    /// The endpoints of the admin listener.
    package let adminRoutes: [Endpoint]
    /// Completes purchases that were interrupted.
    ///
    /// The caller must start and stop this task.
    package let recovery: PurchaseRecovery

    /// The services of other modules that the purchase API uses.
    package struct Dependencies: Sendable {
        let authenticator: SessionAuthenticator
        let limiter: Limiter
        let audit: AuditLog
        let database: any Database
        let time: any TimeSource
        let random: any RandomSource

        /// Creates the dependencies.
        package init(
            authenticator: SessionAuthenticator,
            limiter: Limiter,
            audit: AuditLog,
            database: any Database,
            time: any TimeSource,
            random: any RandomSource
        ) {
            self.authenticator = authenticator
            self.limiter = limiter
            self.audit = audit
            self.database = database
            self.time = time
            self.random = random
        }
    }

    /// The source of session events for changed purchases.
    package let events: SessionEventSource

    /// Creates the services.
    ///
    /// No background work is started.
    ///
    /// - Parameters:
    ///   - catalog: The products.
    ///   - settings: The timeouts.
    ///   - issuer: The server's URL, which is the issuer of purchase histories.
    ///   - dependencies: The services of other modules.
    ///   - provider: The payment provider. If this is `nil`, the sandbox is used.
    ///   - sign: Signs purchase histories.
    package init(
        catalog: ProductCatalog,
        settings: CommerceSettings,
        issuer: String,
        dependencies: Dependencies,
        provider: (any PaymentProvider)? = nil,
        sign: @escaping HistorySigner
    ) {
        let (database, random, audit) = (dependencies.database, dependencies.random, dependencies.audit)
        let provider =
            provider ?? SandboxProvider(database: database, random: random, delay: settings.sandboxDelay)
        let lock = AccountLock(
            authenticator: dependencies.authenticator,
            limiter: dependencies.limiter,
            database: database
        )
        let processor = PurchaseProcessor(
            provider: provider,
            settings: settings,
            audit: audit,
            database: database,
            time: dependencies.time
        )
        let placement = OrderPlacement(catalog: catalog, lock: lock, random: random)
        publicRoutes =
            StorefrontEndpoints(catalog: catalog, lock: lock).endpoints
            + PaymentMethodEndpoints(provider: provider, lock: lock, audit: audit, random: random).endpoints
            + OrderEndpoints(placement: placement, processor: processor, lock: lock, audit: audit).endpoints
            + TransactionEndpoints(lock: lock, audit: audit).endpoints
            + HistoryEndpoints(issuer: issuer, sign: sign, lock: lock, random: random).endpoints
        adminRoutes = CommerceAdminEndpoints(processor: processor, database: database).endpoints
        events = SessionEventSource(.transactionsChanged, topic: .transactions) { identity in
            try await PurchaseRepository.revision(of: identity, in: database)
        }
        recovery = PurchaseRecovery(processor: processor, database: database, time: dependencies.time)
    }
}
