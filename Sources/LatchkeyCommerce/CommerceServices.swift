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
        let notices: AccountNotices
        let database: any Database
        let time: any TimeSource
        let random: any RandomSource
        let erasedPayments: CounterTable<ErasedPaymentOutcome>

        /// Creates the dependencies.
        package init(
            authenticator: SessionAuthenticator,
            limiter: Limiter,
            audit: AuditLog,
            notices: AccountNotices,
            database: any Database,
            time: any TimeSource,
            random: any RandomSource,
            erasedPayments: CounterTable<ErasedPaymentOutcome>
        ) {
            self.erasedPayments = erasedPayments
            self.authenticator = authenticator
            self.limiter = limiter
            self.audit = audit
            self.notices = notices
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
    ///   - settings: The timeouts, the apps and the limit for orders without a step-up.
    ///   - issuer: The server's URL, which is the issuer of purchase histories.
    ///   - audience: The audience of access tokens, which histories can't have.
    ///   - dependencies: The services of other modules.
    ///   - provider: The payment provider. If this is `nil`, the sandbox is used.
    ///   - sign: Signs purchase histories.
    package init(
        catalog: ProductCatalog,
        settings: CommerceSettings,
        issuer: String,
        audience: String?,
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
        let notices = PurchaseNotices(notices: dependencies.notices, catalog: catalog)
        let processor = PurchaseProcessor(
            provider: provider,
            settings: settings,
            audit: audit,
            notices: notices,
            database: database,
            time: dependencies.time
        )
        let placement = OrderPlacement(
            catalog: catalog,
            lock: lock,
            stepUp: StepUp(limits: settings.stepUpAbove),
            random: random
        )
        let paymentMethods = PaymentMethodEndpoints(
            provider: provider,
            lock: lock,
            audit: audit,
            notices: notices,
            random: random
        )
        let history = HistoryEndpoints(
            issuer: issuer,
            apps: HistoryAudience(
                listed: settings.apps,
                reserved: [issuer, audience].compactMap { $0 }
            ),
            sign: sign,
            lock: lock,
            random: random
        )
        publicRoutes =
            (StorefrontEndpoints(catalog: catalog, lock: lock).endpoints
            + paymentMethods.endpoints
            + OrderEndpoints(placement: placement, processor: processor, lock: lock, audit: audit).endpoints
            + TransactionEndpoints(lock: lock, audit: audit).endpoints
            + history.endpoints).map { $0.identifyingErrors() }
        adminRoutes = CommerceAdminEndpoints(processor: processor, database: database).endpoints
        events = SessionEventSource(.transactionsChanged, topic: .transactions) { identity in
            try await PurchaseRepository.revision(of: identity, in: database)
        }
        recovery = PurchaseRecovery(
            processor: processor,
            erased: ErasedPaymentCanceller(
                provider: provider,
                database: database,
                time: dependencies.time,
                attempts: dependencies.erasedPayments
            ),
            database: database,
            time: dependencies.time
        )
    }
}
