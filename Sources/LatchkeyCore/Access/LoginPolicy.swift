/// The behavior of an action that needs a session when no user is logged in.
public enum LoginPolicy: Hashable, Sendable, CaseIterable {
    /// The action fails with ``LatchkeyError/Code/signedOut``.
    case never
    /// A login is presented, and the action runs once the user has logged in.
    case onDemand
}
