import LatchkeyModel

/// What tells the numbers of a metric apart; there are few of them, and all are known beforehand.
package protocol MetricLabels: Hashable, Sendable, CaseIterable {
    /// The values of the labels, in their order.
    var values: [String] { get }
}

/// Numbers that only grow, one for each set of labels.
package final class CounterTable<Labels: MetricLabels>: Sendable {
    private let metric: Metric
    private let counts: Locked<[Labels: UInt64]>

    init(_ metric: Metric) {
        self.metric = metric
        // All of them from the beginning: a number that appears with its first event hides that event from rates.
        counts = Locked(Dictionary(uniqueKeysWithValues: Labels.allCases.map { ($0, 0) }))
    }

    /// Counts one.
    package func add(_ labels: Labels) {
        counts.withLock { $0[labels, default: 0] += 1 }
    }

    func write(to text: inout MetricsText) {
        let counts = counts.withLock { $0 }
        text.begin(metric)
        for labels in Labels.allCases { text.sample(metric, labels.values, Double(counts[labels] ?? 0)) }
    }
}
