/// Specifies what happens when an action needs a session but no user is logged in.
public enum LoginPolicy: Hashable, Sendable, CaseIterable {
    /// The action fails with ``LatchkeyError/Code/signedOut``.
    case never
    /// A login is presented, and the action runs after the user has logged in.
    case onDemand
}
