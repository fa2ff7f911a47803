import LatchkeyModel

/// The request histograms of a listener, along with its database error counters.
package final class RequestMetrics: Sendable {
    /// The number of requests that failed because of a database error, by error code.
    package let databaseErrors = CounterTable<DatabaseError.Code>(.databaseErrors)

    /// The meter for requests with an unknown path or an unsupported method.
    let unmatched = RequestMeter(route: "unmatched", method: "unmatched")

    private let meters = Locked<[String: RequestMeter]>([:])

    /// Creates an empty set of metrics.
    ///
    /// The router adds a histogram for each route and method.
    package init() {}

    /// Returns the meter for a route and method.
    ///
    /// The meter is created the first time it is requested.
    ///
    /// - Parameters:
    ///   - route: The path template, such as `/a/sessions/{id}`.
    ///   - method: The HTTP method.
    /// - Returns: The meter. Calls with the same route and method return the same meter.
    package func meter(route: String, method: String) -> RequestMeter {
        meters.withLock { meters in
            let key = "\(route) \(method)"
            let meter = meters[key] ?? RequestMeter(route: route, method: method)
            meters[key] = meter
            return meter
        }
    }

    /// Writes the request histograms.
    ///
    /// The caller must write ``databaseErrors`` separately.
    package func write(to text: inout MetricsText) {
        text.begin(.requests)
        let meters = meters.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
        for meter in meters + [unmatched] { meter.write(to: &text) }
    }
}
