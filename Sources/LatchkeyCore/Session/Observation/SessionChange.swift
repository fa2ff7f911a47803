/// A change of the session's state, or a sign-out.
package enum SessionChange: Sendable {
    /// The state of the session changed. `login` is the number of the session's login.
    case state(SessionState, login: UInt32?)
    /// The user or the app signed out, even if there was no session. This change is followed by a change with
    /// the new state.
    case signedOut
}
