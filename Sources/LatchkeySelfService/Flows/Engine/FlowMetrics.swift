package import LatchkeyServerKit

/// The counters of flows.
package struct FlowMetrics: Sendable {
    package let started = CounterTable<FlowKind>(.flowsStarted)
    package let submitted = CounterTable<FlowMethodLabels>(.flowsSubmitted)
    package let succeeded = CounterTable<FlowMethodLabels>(.flowsSucceeded)

    package init() {}

    /// Writes all counters.
    package func write(to text: inout MetricsText) {
        started.write(to: &text)
        submitted.write(to: &text)
        succeeded.write(to: &text)
    }
}

extension FlowKind: MetricLabels {
    package var values: [String] { [rawValue] }
}

/// A kind of flow with the method that was submitted to it.
package struct FlowMethodLabels: MetricLabels {
    /// The method; names from requests that are unknown count as `other`.
    package enum Method: String, Sendable, CaseIterable {
        case password, code, profile, other

        /// Creates the method from its name in a request; `nil` and unknown names become `other`.
        package init(_ name: String?) {
            self = name.flatMap { Method(rawValue: $0) } ?? .other
        }
    }

    package let kind: FlowKind
    package let method: Method

    package init(_ kind: FlowKind, method: Method) {
        self.kind = kind
        self.method = method
    }

    package static let allCases = FlowKind.allCases.flatMap { kind in
        Method.allCases.map { FlowMethodLabels(kind, method: $0) }
    }

    package var values: [String] { [kind.rawValue, method.rawValue] }
}
