import LatchkeyModel

/// A token for a session that still has to be revoked on the server.
struct RevocationEntry: Hashable, Sendable {
    /// The type of token to revoke.
    ///
    /// The raw values are used in the stored format.
    enum Kind: String, Sendable {
        /// A session token.
        case session
        /// A refresh token that was issued for an OAuth grant.
        case refreshToken
    }

    var kind: Kind
    var token: Secret
    var addedAt: Timestamp
}

extension RevocationEntry {
    /// Creates an entry for revoking the credential of a login that has ended.
    init(_ credential: StoredCredential, addedAt now: Timestamp) {
        switch credential {
        case .sessionToken(let token, _): self.init(kind: .session, token: token, addedAt: now)
        case .grant(let grant): self.init(kind: .refreshToken, token: grant.pair.refresh, addedAt: now)
        }
    }
}
