public import LatchkeyModel

/// A user's login on this device, as the app sees it; it does not contain the token.
public struct UserSession: Hashable, Sendable {
    /// The session's identifier on the server; empty if the server did not send it.
    public var id: String

    /// The account of the user who is logged in.
    public var identity: Identity

    /// The time of the user's last authentication, or `nil` if the server did not send it.
    public var authenticatedAt: Timestamp?

    /// The expiry of the session, or `nil` if it is not known; for display only, because the server decides.
    public var expiresAt: Timestamp?

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - id: The session's identifier on the server; empty if it is not known.
    ///   - identity: The account of the user who is logged in.
    ///   - authenticatedAt: The time of the user's last authentication, if it is known.
    ///   - expiresAt: The expiry of the session, if it is known.
    public init(
        id: String,
        identity: Identity,
        authenticatedAt: Timestamp? = nil,
        expiresAt: Timestamp? = nil
    ) {
        self.id = id
        self.identity = identity
        self.authenticatedAt = authenticatedAt
        self.expiresAt = expiresAt
    }
}
