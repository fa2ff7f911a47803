/// A change of the session's state, for observers inside the package.
package struct SessionEvent: Sendable {
    /// The new state.
    package let state: SessionState
    /// Whether a different session has begun, rather than just a change of the profile.
    package let isNewSession: Bool
}
