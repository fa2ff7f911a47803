import LatchkeyWire

/// What a flow leads to.
package enum FlowKind: String, Sendable, CaseIterable {
    case login
    case registration
    case settings
    case recovery
    case verification

    /// The path that is submitted to.
    package var path: String { Route.selfService + rawValue }

    /// The path that begins a flow.
    package var initPath: String { path + "/api" }

    /// The path that shows a flow.
    package var showPath: String { path + "/flows" }

    /// The state that a flow begins in.
    package var initialState: FlowState { self == .settings ? .showForm : .chooseMethod }

    /// The method that is in use from the beginning, where there is but one.
    package var onlyMethod: String? { self == .recovery || self == .verification ? "code" : nil }
}
