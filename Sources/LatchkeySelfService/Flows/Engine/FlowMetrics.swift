package import LatchkeyServerKit

/// The counters of flows since the start of the process.
///
/// The counters can be incremented from any thread. Flows that the server itself begins are not counted as
/// started: replacements, settings flows after a recovery, and verifications after a registration, a login or
/// a settings change.
package struct FlowMetrics: Sendable {
    /// The flows that clients began, by kind.
    package let started = CounterTable<FlowKind>(.flowsStarted)
    /// The submissions to flows, including rejected ones, by kind and method.
    package let submitted = CounterTable<FlowMethodLabels>(.flowsSubmitted)
    /// The completed flows, by kind and method; each saved change in a settings flow is counted.
    package let succeeded = CounterTable<FlowMethodLabels>(.flowsSucceeded)

    /// Creates the counters, all at zero.
    package init() {}

    /// Writes all counters.
    ///
    /// The series for all kinds and methods are written, including those with the value zero.
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

/// The labels of a submission or a completion: the kind of flow and the method.
package struct FlowMethodLabels: MetricLabels {
    /// The method; unknown names in requests count as `other`.
    package enum Method: String, Sendable, CaseIterable {
        /// The methods with Kratos's names, and `other` for methods that this server does not support.
        case password, code, profile, other

        /// Creates the method from its name in a request; `nil` and unknown names become `other`.
        package init(_ name: String?) {
            self = name.flatMap { Method(rawValue: $0) } ?? .other
        }
    }

    /// The kind of the flow that received the submission.
    package let kind: FlowKind
    /// The submitted method, or the method with which the flow was completed.
    package let method: Method

    /// Creates the labels of a submission or a completion.
    package init(_ kind: FlowKind, method: Method) {
        self.kind = kind
        self.method = method
    }

    /// All combinations of kinds and methods, including those that no flow offers.
    package static let allCases = FlowKind.allCases.flatMap { kind in
        Method.allCases.map { FlowMethodLabels(kind, method: $0) }
    }

    /// The label values in the order of ``Metric/labels``: the kind, then the method.
    package var values: [String] { [kind.rawValue, method.rawValue] }
}
