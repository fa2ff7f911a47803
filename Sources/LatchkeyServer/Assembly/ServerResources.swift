package import LatchkeyAccounts
package import LatchkeyCommerce
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeySelfService
package import LatchkeyServerKit

/// The external resources that the server's services use, such as the database, the secrets and the clock.
///
/// The caller owns the database and the hasher and must close them after the services have been shut down.
package struct ServerResources: Sendable {
    /// The database, with all migrations applied.
    ///
    /// A shared database may be in use by other nodes at the same time.
    package var database: any Database
    /// Hashes new passwords.
    ///
    /// The hasher also verifies imported hashes in other formats.
    package var hasher: any PasswordHasher

    /// The secrets from which all symmetric keys are derived.
    package var secrets: ServerSecrets

    /// The identity schemas.
    package var schemas: SchemaCatalog

    /// The clock.
    ///
    /// Tests replace the time source with a virtual clock.
    package var time: any TimeSource

    /// The source of random bytes for identifiers, tokens, codes and jitter.
    package var random: any RandomSource

    /// The templates for messages to users.
    package var messageTexts = MessageCatalog.builtIn

    /// The localized labels and messages of forms.
    package var formTexts = FormTranslations.builtIn

    /// The list of breached passwords, or `nil` if the operator hasn't configured one.
    package var breaches: (any BreachedPasswords)?

    /// The products that users can buy.
    ///
    /// If this is `nil`, the purchase API is disabled.
    package var catalog: ProductCatalog?

    /// The ways to submit flows, in the order in which forms show them.
    package var methods: [any SignInMethod.Type] = .builtIn

    /// The responders to the types of client, the one for native apps first.
    package var responders: [any FlowResponder.Type] = .builtIn

    /// The authorization requests that browser flows continue, in place of those of the provider.
    package var authorization: (any AuthorizationContinuation)?

    /// Further reasons for which accounts have duties.
    package var dutySources: [any DutySource] = []

    /// The metrics that the services update.
    package var metrics = ServerMetrics()

    /// Creates resources that use the built-in texts.
    ///
    /// There is no list of breached passwords and no catalog, and all metrics start at zero.
    package init(
        database: any Database,
        hasher: any PasswordHasher,
        secrets: ServerSecrets,
        schemas: SchemaCatalog,
        time: any TimeSource,
        random: any RandomSource
    ) {
        self.database = database
        self.hasher = hasher
        self.secrets = secrets
        self.schemas = schemas
        self.time = time
        self.random = random
    }
}

extension Courier {
    /// Creates the courier for a server.
    ///
    /// The courier updates the metrics in the given resources. The courier doesn't send any messages until
    /// ``Courier/start()`` is called.
    package convenience init(
        _ resources: ServerResources,
        delivery: any MessageDelivery,
        options: CourierOptions = CourierOptions(),
        report: @escaping @Sendable (CourierIncident) -> Void = { _ in }
    ) throws {
        try self.init(
            database: resources.database,
            secrets: resources.secrets,
            delivery: delivery,
            options: options,
            time: resources.time,
            random: resources.random,
            metrics: resources.metrics.courier,
            report: report
        )
    }
}
