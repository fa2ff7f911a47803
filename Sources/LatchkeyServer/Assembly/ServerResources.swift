package import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeySelfService
package import LatchkeyServerKit

/// The external resources of a server's services: database, hasher, secrets, clock, randomness and texts.
///
/// The database and the hasher remain owned by the caller, who closes them after the services were shut down.
package struct ServerResources: Sendable {
    package var database: any Database
    package var hasher: any PasswordHasher

    /// The secrets from which all symmetric keys are derived.
    package var secrets: ServerSecrets

    /// The identity schemas.
    package var schemas: SchemaCatalog

    /// The clock; tests replace it with a virtual one.
    package var time: any TimeSource

    /// The source of random bytes for identifiers, tokens, codes and jitter.
    package var random: any RandomSource

    /// The templates of messages to users.
    package var messageTexts = MessageCatalog.builtIn

    /// The localized labels and messages of forms.
    package var formTexts = FormTranslations.builtIn

    /// The list of breached passwords; `nil` if the operator has not configured one.
    package var breaches: (any BreachedPasswords)?

    /// The counters and histograms to which the services record.
    package var metrics = ServerMetrics()

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
