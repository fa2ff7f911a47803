package import LatchkeyServerCore
import LatchkeyWire

/// Something that is measured when it is asked for.
package protocol MetricsSource: Sendable {
    /// Writes what is to be known now; nothing where it cannot be known.
    func write(to text: inout MetricsText) async
}

/// Tells Prometheus what the server counts about itself.
package struct MetricsEndpoint: Sendable {
    package static let path = "/metrics"

    /// The path at which Kratos has its metrics.
    package static let kratosPath = "/metrics/prometheus"

    private let metrics: ServerMetrics
    private let sources: [any MetricsSource]

    /// Creates the endpoint.
    ///
    /// - Parameters:
    ///   - metrics: What is counted all the time.
    ///   - sources: What is measured when it is asked for.
    package init(_ metrics: ServerMetrics, _ sources: [any MetricsSource]) {
        self.metrics = metrics
        self.sources = sources
    }

    /// The places that this answers at.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, Self.path, below: .server, .readMetrics, answer: answer),
            Endpoint(.get, Self.kratosPath, below: .server, .readMetricsAsKratos, answer: answer),
        ]
    }

    private func answer(_ exchange: Exchange) async -> HTTPResponse {
        var text = MetricsText()
        metrics.write(to: &text)
        for source in sources { await source.write(to: &text) }
        let type = "text/plain; version=0.0.4; charset=utf-8"
        return HTTPResponse(200, headers: ["Content-Type": type], body: Array(text.text.utf8))
    }
}

extension APIOperation {
    fileprivate static let readMetrics = metrics(
        "readMetrics",
        summary: "Returns what the server counts about itself, in Prometheus's text format."
    )

    fileprivate static let readMetricsAsKratos = metrics(
        "readMetricsAsKratos",
        summary: "Returns the same at the path of Kratos."
    )

    private static func metrics(_ id: String, summary: String) -> APIOperation {
        APIOperation(
            id,
            summary,
            credential: .operator,
            [APIResponse(200, "The metrics (text format 0.0.4).", .text, mediaType: "text/plain")]
        )
    }
}
