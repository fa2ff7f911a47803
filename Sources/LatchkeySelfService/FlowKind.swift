import LatchkeyWire

/// The kind of a self-service flow.
///
/// The raw values are Kratos's names, which are stored in the database and used in paths.
package enum FlowKind: String, Sendable, CaseIterable {
    /// Creates a session, or re-authenticates a user who already has one.
    case login
    /// Creates an identity.
    case registration
    /// Changes the traits or password of the logged-in identity.
    case settings
    /// Creates a session after the user enters a code sent to a recovery address, so that they can set a new
    /// password.
    case recovery
    /// Verifies an address with a code that was sent to it.
    case verification

    /// The path of the route that accepts submissions (`POST`).
    package var path: String { Route.selfService + rawValue }

    /// Returns the path of the route that starts a flow for a type of client (`GET`).
    package func startPath(for type: FlowType) -> String { path + "/" + type.rawValue }

    /// The path of the route that returns a flow (`GET`).
    package var showPath: String { path + "/flows" }

    /// Whether mails with the code of such a flow contain a link.
    ///
    /// A link never logs a user in, so mails with login codes contain none.
    package var hasMailedLinks: Bool { self == .verification || self == .recovery }

    /// The state of a new flow.
    package var initialState: FlowState { self == .settings ? .showForm : .chooseMethod }

    /// The active method of a new flow, or `nil` if the user can choose a method.
    package var onlyMethod: String? { self == .recovery || self == .verification ? "code" : nil }
}
