import LatchkeyModel

/// A combination of a metric's label values, from a small set that is known in advance.
package protocol MetricLabels: Hashable, Sendable, CaseIterable {
    /// The values of the labels, in the order of ``Metric/labels``.
    var values: [String] { get }
}

/// A family of counters, one for each combination of label values.
package final class CounterTable<Labels: MetricLabels>: Sendable {
    private let metric: Metric
    private let counts: Locked<[Labels: UInt64]>

    /// Creates the counters, all at zero.
    ///
    /// - Parameter metric: A metric of type counter that has the labels of `Labels`.
    package init(_ metric: Metric) {
        self.metric = metric
        // All counters exist from the start: Prometheus's `rate` misses the first event of a counter that
        // appears with the value 1.
        counts = Locked(Dictionary(uniqueKeysWithValues: Labels.allCases.map { ($0, 0) }))
    }

    /// Increments a counter by one.
    ///
    /// The method may be called from any thread.
    package func add(_ labels: Labels) {
        counts.withLock { $0[labels, default: 0] += 1 }
    }

    /// Writes all counters, including those that are zero.
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
