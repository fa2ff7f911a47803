package import LatchkeyAccounts
package import LatchkeyCommerce
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeySelfService
package import LatchkeyServerKit

/// The external resources of a server's services, such as the database, the hasher, the secrets and the
/// clock.
///
/// The caller owns the database and the hasher, and closes them after the services have been shut down.
package struct ServerResources: Sendable {
    /// The migrated database, which other nodes may use at the same time if it is shared.
    package var database: any Database
    /// The hasher for new passwords, which also verifies imported hashes in other formats.
    package var hasher: any PasswordHasher

    /// The secrets from which all symmetric keys are derived.
    package var secrets: ServerSecrets

    /// The identity schemas.
    package var schemas: SchemaCatalog

    /// The clock, which tests replace with a virtual one.
    package var time: any TimeSource

    /// The source of random bytes for identifiers, tokens, codes and jitter.
    package var random: any RandomSource

    /// The templates of messages to users.
    package var messageTexts = MessageCatalog.builtIn

    /// The localized labels and messages of forms.
    package var formTexts = FormTranslations.builtIn

    /// The list of breached passwords; `nil` if the operator has not configured a list.
    package var breaches: (any BreachedPasswords)?

    /// The products of the purchase API; `nil` switches the API off.
    package var catalog: ProductCatalog?

    /// The counters and histograms in which the services record events.
    package var metrics = ServerMetrics()

    /// Creates the resources with the built-in texts, without a list of breached passwords or a catalog, and with
    /// all metrics at zero.
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
    /// Creates the courier of a server.
    ///
    /// The courier counts messages in the metrics of the resources. The courier sends no messages before
    /// ``Courier/start()``.
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
