import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// Metrics for event streams: how many are open, and how many events were sent.
package final class EventMetrics: Sendable {
    /// The number of events that were sent, by type.
    package let sent = CounterTable<SessionEventType>(.sessionEvents)
    private let open = Locked(0)

    /// Creates metrics with all values set to zero.
    package init() {}

    /// The number of open streams and waiting polls.
    package var streams: Int { open.withLock { $0 } }

    func record(streams: Int) {
        open.withLock { $0 = streams }
    }

    /// Writes the number of open streams and the event counters.
    package func write(to text: inout MetricsText) {
        text.write(.sessionStreams, value: Double(streams))
        sent.write(to: &text)
    }
}

extension SessionEventType: MetricLabels {
    package var values: [String] { [rawValue] }
}
