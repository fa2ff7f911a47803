/// A change of the session's state, as the package's own observers receive it.
package struct SessionEvent: Sendable {
    /// The new state.
    package let state: SessionState
    /// Whether the state contains another session than before; a change of the profile does not count.
    package let isNewSession: Bool
}
