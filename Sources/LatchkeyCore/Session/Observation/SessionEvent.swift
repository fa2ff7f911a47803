/// A change of the session's state, as the package's own observers receive it.
package struct SessionEvent: Sendable {
    /// The new state.
    package let state: SessionState
    /// Whether the state contains a different session than before; a profile change does not make it
    /// different.
    package let isNewSession: Bool
}
