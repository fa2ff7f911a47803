package import LatchkeyModel
package import LatchkeyServerKit

/// A valid access token that a request contains.
package struct PresentedAccessToken: Sendable {
    /// The id of the session that the token was exchanged from.
    ///
    /// The session may have ended.
    package let session: Identifier
    /// Whether this server is one of the token's audiences.
    package let isForThisServer: Bool
    /// The token's scopes for this server's routes.
    package let scopes: Set<AccessScope>
    /// The thumbprint of the key that the token is bound to, or `nil` for a bearer token.
    ///
    /// The request contains a valid proof of possession of the key.
    package let keyThumbprint: [UInt8]?
    /// When the token expires.
    package let expiresAt: Timestamp

    /// Creates a token from its claims.
    package init(
        session: Identifier,
        isForThisServer: Bool,
        scopes: Set<AccessScope>,
        keyThumbprint: [UInt8]?,
        expiresAt: Timestamp
    ) {
        self.session = session
        self.isForThisServer = isForThisServer
        self.scopes = scopes
        self.keyThumbprint = keyThumbprint
        self.expiresAt = expiresAt
    }
}
