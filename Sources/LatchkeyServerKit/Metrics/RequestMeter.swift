import LatchkeyModel

/// A latency histogram for one method of one route.
///
/// Recording a request requires a single lock, which is rarely contended.
package final class RequestMeter: Sendable {
    /// The upper bounds of the buckets, in microseconds.
    ///
    /// The lowest bound is about the latency of a cached response. Requests that take longer than the highest
    /// bound have probably been abandoned by their clients.
    package static let bounds: [Int64] = [
        50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
        2_500_000, 5_000_000, 10_000_000,
    ]

    /// The number of status classes, from 1xx to 5xx.
    private static let classes = 5

    private struct State {
        /// The bucket counts for each status class, including the bucket above the last bound.
        var counts = [UInt64](repeating: 0, count: classes * (bounds.count + 1))
        /// The sum of all latencies in each status class, in microseconds.
        var sums = [Int64](repeating: 0, count: classes)
    }

    private let route: String
    private let method: String
    private let state = Locked(State())

    init(route: String, method: String) {
        self.route = route
        self.method = method
    }

    /// Records the latency of a request and the status of its response.
    ///
    /// - Parameters:
    ///   - status: The status code. A code outside 100 to 599 is counted in the nearest class.
    ///   - duration: The latency. The latency can be negative if the clock was set back, in which case it
    ///     counts as zero.
    package func observe(status: Int, _ duration: Duration) {
        let microseconds = max(0, duration.wholeMicroseconds)
        let bucket = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
        let kind = min(max(status / 100, 1), Self.classes) - 1
        state.withLock { state in
            state.counts[kind * (Self.bounds.count + 1) + bucket] += 1
            state.sums[kind] += microseconds
        }
    }

    /// Writes a histogram for each status class that has been recorded.
    func write(to text: inout MetricsText) {
        let state = state.withLock { $0 }
        for kind in 0..<Self.classes {
            let start = kind * (Self.bounds.count + 1)
            let counts = state.counts[start...(start + Self.bounds.count)]
            let total = counts.reduce(0, +)
            guard total > 0 else { continue }
            let labels = [route, method, "\(kind + 1)xx"]
            var sum: UInt64 = 0
            for (count, bound) in zip(counts, Self.bounds.map { "\(Double($0) / 1e6)" } + ["+Inf"]) {
                sum += count
                text.sample(.requests, suffix: "_bucket", labels: labels, upTo: bound, value: Double(sum))
            }
            text.sample(.requests, suffix: "_sum", labels: labels, value: Double(state.sums[kind]) / 1e6)
            text.sample(.requests, suffix: "_count", labels: labels, value: Double(total))
        }
    }
}
