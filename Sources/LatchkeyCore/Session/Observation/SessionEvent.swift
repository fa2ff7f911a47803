/// A change of the session's state, for observers inside the package.
package struct SessionEvent: Sendable {
    /// The new state.
    package let state: SessionState
    /// Whether a different session has begun, as opposed to a change in the current session.
    package let isNewSession: Bool
}
