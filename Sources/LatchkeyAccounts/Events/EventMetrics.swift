import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// The number of open event streams, and of the events that were sent.
package final class EventMetrics: Sendable {
    /// The number of sent events of each type.
    package let sent = CounterTable<SessionEventType>(.sessionEvents)
    private let open = Locked(0)

    /// Creates metrics that are all zero.
    package init() {}

    /// The number of open streams and waiting polls.
    package var streams: Int { open.withLock { $0 } }

    func record(streams: Int) {
        open.withLock { $0 = streams }
    }

    /// Writes the number of streams and the counters.
    package func write(to text: inout MetricsText) {
        text.write(.sessionStreams, value: Double(streams))
        sent.write(to: &text)
    }
}

extension SessionEventType: MetricLabels {
    package var values: [String] { [rawValue] }
}
