package import LatchkeyCourier
package import LatchkeyServerKit

/// The endpoints of the admin listener.
///
/// The endpoints don't authenticate callers, so they must be served behind ``AdminAuthentication``.
package struct OperatorPlaces: Sendable {
    /// The OpenAPI document of the admin API.
    ///
    /// The `endpoints` property of the document contains the endpoints that the admin listener serves.
    package let document: PublishedDocument

    /// Collects the endpoints.
    ///
    /// - Parameters:
    ///   - assembly: The server's services, which provide the endpoints of the admin API.
    ///   - development: The development courier. If this is `nil`, there is no outbox endpoint.
    ///   - sources: The sources of metrics that are measured each time metrics are requested.
    ///   - url: The URL of the admin listener. This URL is included in the OpenAPI document.
    package init(
        _ assembly: ServerAssembly,
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
            credentials: .adminToken,
            assembly.health.endpoints
                + MetricsEndpoint(assembly.metrics, sources: sources).endpoints
                + (development.map { OutboxEndpoint($0).endpoints } ?? []) + assembly.administration
        )
    }
}
