import LatchkeyModel

/// A combination of label values for a metric.
///
/// The set of all combinations is small and known in advance.
package protocol MetricLabels: Hashable, Sendable {
    /// The label values, in the order of ``Metric/labels``.
    var values: [String] { get }
}

/// A group of counters with one counter for each combination of label values.
package final class CounterTable<Labels: MetricLabels>: Sendable {
    private let metric: Metric
    private let labels: [Labels]
    private let counts: Locked<[Labels: UInt64]>

    /// Creates the counters and sets them all to zero.
    ///
    /// - Parameters:
    ///   - metric: A metric of the counter type whose labels are those of `Labels`.
    ///   - labels: All combinations of label values, in the order in which they are written.
    package init(_ metric: Metric, for labels: [Labels]) {
        self.metric = metric
        self.labels = labels
        // We create all counters up front because Prometheus's `rate` would miss the first event of a counter
        // that appears with the value 1.
        counts = Locked(Dictionary(uniqueKeysWithValues: labels.map { ($0, 0) }))
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
        for labels in self.labels {
            text.sample(metric, labels: labels.values, value: Double(counts[labels] ?? 0))
        }
    }
}

extension CounterTable where Labels: CaseIterable {
    /// Creates a counter for each case and sets them all to zero.
    package convenience init(_ metric: Metric) {
        self.init(metric, for: Array(Labels.allCases))
    }
}

extension DatabaseError.Code: MetricLabels {
    package var values: [String] { [rawValue] }
}
