package import LatchkeyCourier
package import LatchkeyServerKit

/// The routes of the admin listener.
///
/// The routes do not authenticate callers, so they must be served behind ``AdminAuthentication``.
package struct OperatorPlaces: Sendable {
    /// The OpenAPI document of the admin API, whose `endpoints` are the routes of the admin listener.
    package let document: PublishedDocument

    /// Collects the routes.
    ///
    /// - Parameters:
    ///   - assembly: The server, with the routes of the admin API.
    ///   - database: The database that the health checks read from.
    ///   - development: The development courier; `nil` omits the outbox.
    ///   - sources: The sources of metrics that are measured at each request for metrics.
    ///   - url: The URL of the listener, which the OpenAPI document contains.
    package init(
        _ assembly: ServerAssembly,
        database: any Database,
        development: DevelopmentDelivery?,
        measuring sources: [any MetricsSource],
        url: String
    ) {
        document = PublishedDocument(
            title: "Latchkey admin API",
            summary:
                "Ory Kratos's admin API for identities, sessions, recovery codes and messages, plus the audit log.",
            server: url,
            basePath: "",
            credential: .operator,
            HealthEndpoints(database: database).endpoints
                + MetricsEndpoint(assembly.metrics, sources: sources).endpoints
                + (development.map { OutboxEndpoint($0).endpoints } ?? []) + assembly.administration
        )
    }
}
