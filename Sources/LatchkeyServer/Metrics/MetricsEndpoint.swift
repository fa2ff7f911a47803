package import LatchkeyServerKit
import LatchkeyWire

/// A source of metrics that are measured when they are requested.
package protocol MetricsSource: Sendable {
    /// Writes the current metrics, and omits those that are not available.
    ///
    /// This method is called for each request for metrics and should take only milliseconds.
    func write(to text: inout MetricsText) async
}

/// A route that returns the server's metrics in Prometheus's text format.
package struct MetricsEndpoint: Sendable {
    /// The path of the metrics on the admin listener.
    package static let path = "/metrics"

    /// The path of the metrics in Ory Kratos.
    package static let kratosPath = "/metrics/prometheus"

    private let metrics: ServerMetrics
    private let sources: [any MetricsSource]

    /// Creates the endpoint.
    ///
    /// - Parameters:
    ///   - metrics: The metrics that are counted continuously.
    ///   - sources: The sources of metrics that are measured at each request.
    package init(_ metrics: ServerMetrics, sources: [any MetricsSource]) {
        self.metrics = metrics
        self.sources = sources
    }

    /// The routes that return the metrics, at Latchkey's path and at Kratos's path.
    ///
    /// Both routes return the same text with the media type `text/plain; version=0.0.4`.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, Self.path, below: .server, operation: .readMetrics, answer: answer),
            Endpoint(.get, Self.kratosPath, below: .server, operation: .readMetricsAsKratos, answer: answer),
        ]
    }

    /// Responds with the counters, followed by the metrics from each source in turn.
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
            credential: .operator,
            [APIResponse(200, "The metrics in Prometheus text format 0.0.4.", .text, mediaType: "text/plain")]
        )
    }
}
