import LatchkeyModel

/// The request histograms of a listener, and the counters of database errors.
package final class RequestMetrics: Sendable {
    /// The counters of requests that failed because of a database error, by error code.
    package let databaseErrors = CounterTable<DatabaseError.Code>(.databaseErrors)

    /// The meter for requests whose path matches no route, or whose method the route does not support.
    let unmatched = RequestMeter(route: "unmatched", method: "unmatched")

    private let meters = Locked<[String: RequestMeter]>([:])

    /// Creates metrics without histograms, which the router adds for each route and method.
    package init() {}

    /// Returns the meter of a route and method, creating it on the first call.
    ///
    /// - Parameters:
    ///   - route: The path template, such as `/a/sessions/{id}`.
    ///   - method: The HTTP method.
    /// - Returns: The meter, which is the same for each call with the same route and method.
    package func meter(route: String, method: String) -> RequestMeter {
        meters.withLock { meters in
            let key = "\(route) \(method)"
            let meter = meters[key] ?? RequestMeter(route: route, method: method)
            meters[key] = meter
            return meter
        }
    }

    /// Writes the request histograms, but not ``databaseErrors``, which the caller writes separately.
    package func write(to text: inout MetricsText) {
        text.begin(.requests)
        let meters = meters.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
        for meter in meters + [unmatched] { meter.write(to: &text) }
    }
}
