import LatchkeyWire

/// The kind of a self-service flow.
package enum FlowKind: String, Sendable, CaseIterable {
    case login
    case registration
    case settings
    case recovery
    case verification

    /// The path of the route that accepts submissions (`POST`).
    package var path: String { Route.selfService + rawValue }

    /// The path of the route that begins a flow in a native client (`GET`).
    package var initPath: String { path + "/api" }

    /// The path of the route that returns a flow (`GET`).
    package var showPath: String { path + "/flows" }

    /// The state of a new flow.
    package var initialState: FlowState { self == .settings ? .showForm : .chooseMethod }

    /// The active method of a new flow; `nil` if its user can choose between methods.
    package var onlyMethod: String? { self == .recovery || self == .verification ? "code" : nil }
}
