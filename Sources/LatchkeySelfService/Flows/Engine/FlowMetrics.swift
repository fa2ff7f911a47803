package import LatchkeyServerKit

/// Counts flows since the process was started.
///
/// The counters can be incremented from any thread. Flows that the server starts on its own are not counted
/// as started: replacements, settings flows after a recovery, and verifications after a registration, login
/// or settings change.
package struct FlowMetrics: Sendable {
    /// The number of flows that clients have started, by kind.
    package let started = CounterTable<FlowKind>(.flowsStarted)
    /// The number of submissions to flows, including rejected ones, by kind and method.
    package let submitted = CounterTable<FlowMethodLabels>(.flowsSubmitted)
    /// The number of completed flows, by kind and method.
    ///
    /// A settings flow is counted once for each saved change.
    package let succeeded = CounterTable<FlowMethodLabels>(.flowsSucceeded)

    /// Creates the counters, which start at zero.
    package init() {}

    /// Writes the values of all counters.
    ///
    /// Every combination of kind and method is included, even if its value is zero.
    package func write(to text: inout MetricsText) {
        started.write(to: &text)
        submitted.write(to: &text)
        succeeded.write(to: &text)
    }
}

extension FlowKind: MetricLabels {
    /// The label value, which is Kratos's name for the kind of flow.
    package var values: [String] { [rawValue] }
}

/// The metric labels of a submission or completed flow: its kind and its method.
package struct FlowMethodLabels: MetricLabels {
    /// The method.
    ///
    /// Unknown names in requests are counted as `other`.
    package enum Method: String, Sendable, CaseIterable {
        /// Kratos's method names, and `other` for methods that this server doesn't support.
        case password, code, profile, other

        /// Creates a method from its name in a request.
        ///
        /// If the name is `nil` or unknown, the method is `other`.
        package init(_ name: String?) {
            self = name.flatMap { Method(rawValue: $0) } ?? .other
        }
    }

    /// The kind of flow.
    package let kind: FlowKind
    /// The submitted method, or the method that completed the flow.
    package let method: Method

    /// Creates the labels for a submission or a completed flow.
    package init(_ kind: FlowKind, method: Method) {
        self.kind = kind
        self.method = method
    }

    /// All combinations of kinds and methods, including those that no flow offers.
    package static let allCases = FlowKind.allCases.flatMap { kind in
        Method.allCases.map { FlowMethodLabels(kind, method: $0) }
    }

    /// The label values in the order of ``Metric/labels``: first the kind, then the method.
    package var values: [String] { [kind.rawValue, method.rawValue] }
}
