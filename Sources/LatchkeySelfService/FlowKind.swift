import LatchkeyWire

/// The kind of a self-service flow, with Kratos's name, which is stored and is part of the paths.
package enum FlowKind: String, Sendable, CaseIterable {
    /// Opens a session, or re-authenticates the user of one.
    case login
    /// Creates an identity.
    case registration
    /// Changes the traits or the password of the identity of a session.
    case settings
    /// Opens a session by a code to a recovery address, to set a new password.
    case recovery
    /// Verifies an address by a code that was sent to it.
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
