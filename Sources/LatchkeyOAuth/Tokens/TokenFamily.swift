import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// A snapshot of a session's refresh tokens, together with the session and its identity.
///
/// The tokens of a family are numbered, and only the highest number that has been used is stored.
struct TokenFamily: Sendable {
    /// The status of a refresh token that a client has presented.
    enum Showing: Hashable, Sendable {
        /// The token is the newest one and hasn't been used yet.
        case first
        /// The token has already been used, but its successor hasn't.
        ///
        /// Either the response was lost or the client sent concurrent requests.
        case again
        /// The token's successor has already been used, so another client may have the token.
        ///
        /// Refreshing with this token revokes the session if the nonce in the proof was issued after the
        /// successor was used; see ``TokenRefresh``.
        case dead
        /// The token was never issued.
        ///
        /// Because tokens are authenticated, an unknown token is rare. For example, a token may be unknown
        /// after the database has been restored from a backup.
        case unknown
    }

    /// The information about a login that is included in access tokens (RFC 9068, OpenID Connect Core).
    struct Login: Sendable {
        /// The id of the identity's schema, for the `schema` claim.
        let schemaID: String
        /// How the user has authenticated, which determines the `acr` and `amr` claims.
        let authentications: [Authentication]
        /// When the user last authenticated, for the `auth_time` claim.
        let authenticatedAt: Timestamp
        /// The time at which the owner of one of the account's addresses took over the account, for the
        /// `reclaimed_at` claim.
        ///
        /// This is `nil` if the account was never taken over.
        var reclaimedAt: Timestamp?
    }

    /// The session's id.
    ///
    /// The id identifies the family and is used for the `sid` claim.
    let session: Identifier
    /// The id of the identity that the session belongs to, for the `sub` claim.
    let identity: Identifier
    /// The user's most recent login or re-authentication in this session.
    let login: Login

    /// When the session expires.
    let expiresAt: Timestamp

    /// Whether the identity is active and the session is neither revoked nor provisional.
    ///
    /// The session may have expired.
    let isUsable: Bool

    /// The thumbprint of the key that the tokens are bound to.
    ///
    /// The thumbprint is set when the family is created. A proof that is signed with a different key is
    /// rejected.
    let keyThumbprint: [UInt8]

    /// The highest number that has been used, or 0 if no token has been used yet.
    let used: Int64

    /// When the token with the number ``used`` was first used, or when the family was created if no token has
    /// been used yet.
    let usedAt: Timestamp

    /// The newest token, which hasn't been used yet.
    var newest: RefreshToken { RefreshToken(session: session, number: used + 1) }

    /// Returns the status of the token with the given number.
    ///
    /// The status doesn't take the state of the session into account. Use ``isAlive(at:)`` to find out
    /// whether the session is active.
    func judge(_ number: Int64) -> Showing {
        switch number {
        case used + 1: .first
        case used where used > 0: .again
        case 1..<max(1, used): .dead
        default: .unknown
        }
    }

    /// Returns whether the session is active at the given time, so that its tokens can be used.
    func isAlive(at now: Timestamp) -> Bool {
        isUsable && expiresAt > now
    }
}

extension TokenFamily.Login {
    /// Reads a login from the columns `schema_id`, `authentications`, `authenticated_at` and `reclaimed_at`.
    ///
    /// The columns start at the given index.
    ///
    /// - Throws: ``DatabaseError`` with the code `mismatch` if a column has a different type or if this
    ///   version of the server doesn't know the method.
    init(row: Row, from column: Int) throws(DatabaseError) {
        schemaID = try row.text(column)
        authentications = try [Authentication](text: row.text(column + 1))
        authenticatedAt = try row.time(column + 2)
        reclaimedAt = try row.optional(column + 3, as: Row.time)
    }
}
