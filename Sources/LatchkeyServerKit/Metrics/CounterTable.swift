import LatchkeyModel

/// A combination of label values for a metric.
///
/// The set of all combinations is small and known in advance.
package protocol MetricLabels: Hashable, Sendable, CaseIterable {
    /// The label values, in the order of ``Metric/labels``.
    var values: [String] { get }
}

/// A group of counters with one counter for each combination of label values.
package final class CounterTable<Labels: MetricLabels>: Sendable {
    private let metric: Metric
    private let counts: Locked<[Labels: UInt64]>

    /// Creates the counters and sets them all to zero.
    ///
    /// - Parameter metric: A metric of the counter type whose labels are those of `Labels`.
    package init(_ metric: Metric) {
        self.metric = metric
        // We create all counters up front because Prometheus's `rate` would miss the first event of a counter
        // that appears with the value 1.
        counts = Locked(Dictionary(uniqueKeysWithValues: Labels.allCases.map { ($0, 0) }))
    }

    /// Adds one to a counter.
    ///
    /// This method can be called from any thread.
    package func add(_ labels: Labels) {
        counts.withLock { $0[labels, default: 0] += 1 }
    }

    /// Writes all counters, including those that are still zero.
    package func write(to text: inout MetricsText) {
        let counts = counts.withLock { $0 }
        text.begin(metric)
        for labels in Labels.allCases {
            text.sample(metric, labels: labels.values, value: Double(counts[labels] ?? 0))
        }
    }
}

extension DatabaseError.Code: MetricLabels {
    package var values: [String] { [rawValue] }
}
