public import LatchkeyCore

/// The result of a sign-out.
public struct SignOutReport: Sendable {
    /// Whether all sessions that have ended on this device are known to be revoked on the server.
    ///
    /// This is `false` after ``LatchkeyClient/signOut()``, which doesn't wait for the server, if the server could not
    /// be reached, and if the client doesn't revoke sessions.
    public internal(set) var isRevoked: Bool

    /// The reason why parts of the session may still be in the store, for example because the disk has become
    /// read-only.
    ///
    /// The user is signed out in any case.
    public let storageFailure: LatchkeyError?
}
