package import LatchkeyServerCore

/// The places of the operator's listener.
package struct OperatorPlaces: Sendable {
    package let document: PublishedDocument

    /// Gathers the places.
    ///
    /// - Parameters:
    ///   - assembly: The server.
    ///   - database: The database.
    ///   - development: The development courier, when it is in use.
    ///   - sources: What is measured when somebody asks for metrics.
    ///   - url: The listener's address.
    package init(
        _ assembly: ServerAssembly,
        database: any Database,
        development: DevelopmentDelivery?,
        measuring sources: [any MetricsSource],
        url: String
    ) {
        document = PublishedDocument(
            title: "Latchkey for operators",
            summary:
                "Identities, sessions, recovery codes, messages and the audit log, as Ory Kratos has them.",
            server: url,
            basePath: "",
            credential: .operator,
            HealthEndpoints(database: database).endpoints
                + MetricsEndpoint(assembly.metrics, sources).endpoints
                + (development.map { OutboxEndpoint($0).endpoints } ?? []) + assembly.administration
        )
    }
}
