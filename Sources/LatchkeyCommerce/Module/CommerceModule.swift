package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The purchase API: products, orders, payments and signed histories.
package struct CommerceModule: ServerModule {
    /// How long a purchase history is valid after it has been signed.
    package static let historyLifespan = HistoryEndpoints.lifespan

    package static var migrations: [Migration] { .commerce }

    package static var accountData: any AccountDataPart { CommerceData() }

    /// Returns the source of session events for changed purchases.
    package static func events(in database: any Database) -> SessionEventSource {
        SessionEventSource(.transactionsChanged, topic: .transactions) { identity in
            try await PurchaseRepository.revision(of: identity, in: database)
        }
    }

    package let routes: [Endpoint]
    package let operatorRoutes: [Endpoint]
    /// Completes purchases that were interrupted.
    package let recovery: PurchaseRecovery

    package var workers: [any ServerWorker] { [recovery] }

    /// Creates the services.
    ///
    /// Histories can't have the audience of access tokens. Without a payment provider, the sandbox is used.
    package init(
        _ environment: ServerEnvironment,
        settings: CommerceSettings,
        catalog: ProductCatalog,
        accounts: AccountsModule,
        audience: String?,
        provider: (any PaymentProvider)? = nil,
        erasedPayments: CounterTable<ErasedPaymentOutcome>,
        sign: @escaping HistorySigner
    ) {
        let issuer = environment.urls.base
        let (database, random, audit) = (environment.database, environment.random, accounts.audit)
        let provider =
            provider ?? SandboxProvider(database: database, random: random, delay: settings.sandboxDelay)
        let (authenticator, limiter) = (accounts.authenticator, accounts.limiter)
        let notices = PurchaseNotices(notices: accounts.notices, catalog: catalog)
        let processor = PurchaseProcessor(
            provider: provider,
            settings: settings,
            audit: audit,
            notices: notices,
            database: database,
            time: environment.time
        )
        let placement = OrderPlacement(
            catalog: catalog,
            database: database,
            limiter: limiter,
            stepUp: StepUp(limits: settings.stepUpAbove),
            random: random
        )
        let paymentMethods = PaymentMethodEndpoints(
            provider: provider,
            authenticator: authenticator,
            limiter: limiter,
            database: database,
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
            authenticator: authenticator,
            limiter: limiter,
            database: database,
            random: random
        )
        routes =
            (StorefrontEndpoints(catalog: catalog, authenticator: authenticator).endpoints
            + paymentMethods.endpoints
            + OrderEndpoints(
                placement: placement,
                processor: processor,
                authenticator: authenticator,
                database: database,
                audit: audit
            ).endpoints
            + TransactionEndpoints(
                authenticator: authenticator,
                limiter: limiter,
                database: database,
                audit: audit
            ).endpoints
            + history.endpoints).map { $0.identifyingErrors() }
        operatorRoutes = CommerceAdminEndpoints(processor: processor, database: database).endpoints
            .map(\.refusingUnknownParameters)
        recovery = PurchaseRecovery(
            processor: processor,
            erased: ErasedPaymentCanceller(
                provider: provider,
                database: database,
                time: environment.time,
                attempts: erasedPayments
            ),
            database: database,
            time: environment.time
        )
    }
}
