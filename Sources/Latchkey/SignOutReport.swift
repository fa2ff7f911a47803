public import LatchkeyCore

/// The result of signing out and waiting for the server.
public struct SignOutReport: Sendable {
    /// Whether all sessions that have ended on this device were revoked on the server.
    ///
    /// This is `false` if the server could not be reached or if the client doesn't revoke sessions.
    public let isRevoked: Bool

    /// The reason why parts of the session may still be in the store.
    ///
    /// The user is signed out in any case.
    public let storageFailure: LatchkeyError?
}
