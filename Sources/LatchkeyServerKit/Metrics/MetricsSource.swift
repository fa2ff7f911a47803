/// A source of metrics that are only measured when they are requested.
package protocol MetricsSource: Sendable {
    /// Writes the current values of the metrics.
    ///
    /// Metrics that are unavailable are omitted. This method is called every time metrics are requested, so
    /// it should only take a few milliseconds.
    func write(to text: inout MetricsText) async
}
