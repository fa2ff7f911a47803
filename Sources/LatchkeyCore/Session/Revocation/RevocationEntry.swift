import LatchkeyModel

/// A token for a session that still has to be revoked on the server.
struct RevocationEntry: Hashable, Sendable {
    /// The type of token to revoke.
    ///
    /// The raw values are used in the stored format.
    enum Kind: String, Sendable {
        /// A session token.
        case session
        /// A refresh token that was issued for an OAuth grant, or its access token if there is no refresh token.
        case refreshToken
        /// A login in a browser that isn't completed. The token is the encoded login.
        case login
    }

    var kind: Kind
    var token: Secret
    /// The provider that has issued the refresh token, or `nil` for other types.
    var issuer: String?
    /// The client that the refresh token was issued to, or `nil` for other types.
    var client: String?
    var addedAt: Timestamp
}

extension RevocationEntry {
    /// Creates an entry for revoking the credential of a login that has ended.
    init(_ credential: StoredCredential, addedAt now: Timestamp) {
        switch credential {
        case .sessionToken(let token, _): self.init(kind: .session, token: token, addedAt: now)
        case .grant(let grant):
            self.init(
                kind: .refreshToken,
                token: grant.pair.refresh ?? grant.pair.access,
                issuer: grant.issuer,
                client: grant.client,
                addedAt: now
            )
        }
    }
}
