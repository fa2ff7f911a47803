public import LatchkeyModel

/// A login of one person on this device, as the app may see it; the token is not part of it.
public struct Session: Hashable, Sendable {
    /// The server's id of the session; empty when the server did not tell it.
    public var id: String

    /// Who is logged in.
    public var identity: Identity

    /// When the person last proved who they are.
    public var authenticatedAt: Timestamp?

    /// When the server will end the session; for display only, the server decides.
    public var expiresAt: Timestamp?

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - id: The server's id of the session.
    ///   - identity: Who is logged in.
    ///   - authenticatedAt: When the person last proved who they are.
    ///   - expiresAt: When the server will end the session.
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
