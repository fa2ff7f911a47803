/// A change of the state.
package struct SessionEvent: Sendable {
    package let state: SessionState
    /// Whether the session in it was not there before; a change of the profile is no new session.
    package let isNewSession: Bool
}
