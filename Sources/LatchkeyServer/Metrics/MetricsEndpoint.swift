package import LatchkeyServerKit
import LatchkeyWire

/// The endpoint that returns the server's metrics in the Prometheus text format.
package struct MetricsEndpoint: Sendable {
    /// The path of the endpoint on the admin listener.
    package static let path = "/metrics"

    /// The path that Ory Kratos uses for metrics.
    package static let kratosPath = "/metrics/prometheus"

    private let metrics: ServerMetrics
    private let sources: [any MetricsSource]

    /// Creates the endpoint.
    ///
    /// - Parameters:
    ///   - metrics: The metrics that are updated continuously.
    ///   - sources: The sources of metrics that are measured for each request.
    package init(_ metrics: ServerMetrics, sources: [any MetricsSource]) {
        self.metrics = metrics
        self.sources = sources
    }

    /// The endpoints that return the metrics, at Latchkey's path and at Kratos's path.
    ///
    /// Both endpoints return the same text, with the media type `text/plain; version=0.0.4`.
    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Self.path,
                below: .server,
                accepts: .adminTokenUnlessOpen,
                operation: .readMetrics,
                answer: answer
            ),
            Endpoint(
                .get,
                Self.kratosPath,
                below: .server,
                accepts: .adminTokenUnlessOpen,
                operation: .readMetricsAsKratos,
                answer: answer
            ),
        ]
    }

    /// Writes the counters, followed by the metrics of each source.
    private func answer(_ context: RequestContext) async -> HTTP.Response {
        var text = MetricsText()
        metrics.write(to: &text)
        for source in sources { await source.write(to: &text) }
        let type = "text/plain; version=0.0.4; charset=utf-8"
        return HTTP.Response(200, headers: ["Content-Type": type], body: Array(text.text.utf8))
    }
}

extension APIOperation {
    fileprivate static let readMetrics = metrics(
        "readMetrics",
        summary: "Returns the server's metrics in the Prometheus text format."
    )

    fileprivate static let readMetricsAsKratos = metrics(
        "readMetricsAsKratos",
        summary: "Returns the metrics at the path that Ory Kratos uses."
    )

    private static func metrics(_ id: String, summary: String) -> APIOperation {
        APIOperation(
            id,
            summary,
            [APIResponse(200, "The metrics in Prometheus text format 0.0.4.", .text, mediaType: "text/plain")]
        )
    }
}
