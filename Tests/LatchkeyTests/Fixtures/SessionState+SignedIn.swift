import LatchkeyCore

extension SessionState {
    /// Whether a user is logged in.
    var isSignedIn: Bool { session != nil }
}
