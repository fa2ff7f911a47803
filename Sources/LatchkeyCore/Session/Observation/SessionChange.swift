/// A change of the keeper's session, or a sign-out, as login on demand follows them.
package enum SessionChange: Sendable {
    /// The state of the session; `login` is the number of its login.
    case state(SessionState, login: UInt32?)
    /// The user or the app signed out, whether or not there was a session; the state follows.
    case signedOut
}
