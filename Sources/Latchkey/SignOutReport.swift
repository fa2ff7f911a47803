public import LatchkeyCore

/// The result of a sign-out that waited for the server.
public struct SignOutReport: Sendable {
    /// Whether all sessions that have ended on this device are revoked at the server.
    ///
    /// `false` if the server could not be reached, or the client does not revoke sessions.
    public let isRevoked: Bool

    /// The reason why parts of the session may still be in the store; the user is signed out nevertheless.
    public let storageFailure: LatchkeyError?
}
