import LatchkeyServerKit

/// Counts flows since the process was started.
///
/// The counters can be incremented from any thread. Flows that the server starts on its own are not counted
/// as started: replacements, settings flows after a recovery, and verifications after a registration, login
/// or settings change.
struct FlowMetrics: MetricsSource {
    /// The method of submissions with an unknown method, or none.
    private static let other = "other"

    /// The number of flows that clients have started, by kind.
    let started = CounterTable<FlowKind>(.flowsStarted)
    /// The number of submissions to flows, including rejected ones, by kind and method.
    let submitted: CounterTable<FlowMethodLabels>
    /// The number of completed flows, by kind and method.
    ///
    /// A settings flow is counted once for each saved change.
    let succeeded: CounterTable<FlowMethodLabels>

    private let methods: [String]

    /// Creates counters for the given methods, which start at zero.
    init(methods: [String]) {
        self.methods = methods
        let labels = FlowKind.allCases.flatMap { kind in
            (methods + [Self.other]).map { FlowMethodLabels(kind: kind, method: $0) }
        }
        submitted = CounterTable(.flowsSubmitted, for: labels)
        succeeded = CounterTable(.flowsSucceeded, for: labels)
    }

    /// Returns the labels of a submission, whose method may be unknown or `nil`.
    func labels(_ kind: FlowKind, method: String?) -> FlowMethodLabels {
        FlowMethodLabels(kind: kind, method: method.flatMap { methods.contains($0) ? $0 : nil } ?? Self.other)
    }

    /// Writes the values of all counters.
    ///
    /// Every combination of kind and method is included, even if its value is zero.
    func write(to text: inout MetricsText) {
        started.write(to: &text)
        submitted.write(to: &text)
        succeeded.write(to: &text)
    }
}

extension FlowKind: MetricLabels {
    /// The label value, which is Kratos's name for the kind of flow.
    package var values: [String] { [rawValue] }
}

/// The metric labels of a submission or completed flow.
struct FlowMethodLabels: MetricLabels {
    let kind: FlowKind
    let method: String

    /// The label values in the order of ``Metric/labels``: first the kind, then the method.
    var values: [String] { [kind.rawValue, method] }
}
