import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The family of refresh tokens for one session; only the highest used number is stored.
///
/// The value is a snapshot of the family, its session and its identity at the time of the read.
struct TokenFamily: Sendable {
    /// The status of a refresh token that a client presents.
    enum Showing: Hashable, Sendable {
        /// The newest token, which has not been used before.
        case first
        /// The last used token, whose successor has not been used: the response was lost, or the client sent
        /// concurrent requests.
        case again
        /// A token whose successor has been used: another client may hold the token.
        ///
        /// A refresh with this token revokes the session if its proof has a nonce that was issued after that
        /// use; see ``TokenRefresh``.
        case dead
        /// A token that was never issued.
        ///
        /// Because tokens are authenticated, a client can have an unknown token only if, for example, the
        /// database was restored from a backup.
        case unknown
    }

    /// The login that access tokens describe in their claims (RFC 9068, OpenID Connect Core).
    struct Login: Sendable {
        /// The id of the identity schema, for the `schema` claim.
        let schemaID: String
        /// The method of the last authentication, which determines the `amr` claim.
        let method: AuthenticationMethod
        /// The time of the last authentication, for the `auth_time` claim.
        let authenticatedAt: Timestamp
        /// The time at which the owner of one of the account's addresses took the account over, for the
        /// `reclaimed_at` claim; `nil` if that never happened.
        var reclaimedAt: Timestamp?
    }

    /// The id of the session, which is also the key of the family and the `sid` claim.
    let session: Identifier
    /// The id of the identity that owns the session, which is the `sub` claim.
    let identity: Identifier
    /// The last login or re-authentication of the session.
    let login: Login

    /// The expiry of the session.
    let expiresAt: Timestamp

    /// Whether the identity is active and the session is neither revoked nor provisional, regardless of
    /// expiry.
    let isUsable: Bool

    /// The thumbprint of the key to which the tokens are bound.
    ///
    /// It is set when the family is created; a proof that was signed with any other key is rejected.
    let keyThumbprint: [UInt8]

    /// The highest number that has been used; 0 if no token has been used.
    let used: Int64

    /// The time at which the token with the number ``used`` was first used; if no token has been used, the
    /// time at which the family was created.
    let usedAt: Timestamp

    /// The newest token, which has not been used yet.
    var newest: RefreshToken { RefreshToken(session: session, number: used + 1) }

    /// Returns the status of the token with a given number.
    ///
    /// The status depends only on the number; ``isAlive(at:)`` returns whether the session is active.
    func judge(_ number: Int64) -> Showing {
        switch number {
        case used + 1: .first
        case used where used > 0: .again
        case 1..<max(1, used): .dead
        default: .unknown
        }
    }

    /// Returns whether the tokens can be used at the given time, that is, whether the session is active.
    func isAlive(at now: Timestamp) -> Bool {
        isUsable && expiresAt > now
    }
}

extension TokenFamily.Login {
    /// Reads a login from the columns schema_id, method, authenticated_at and reclaimed_at, starting at the
    /// given index.
    ///
    /// - Throws: ``DatabaseError`` with the code `mismatch` if a column has another type or if this version
    ///   of the server does not know the method.
    init(row: Row, from column: Int) throws(DatabaseError) {
        schemaID = try row.text(column)
        guard let method = AuthenticationMethod(rawValue: try row.text(column + 1)) else {
            throw DatabaseError(.mismatch, message: "A session has a method that is unknown to this version.")
        }
        self.method = method
        authenticatedAt = try row.time(column + 2)
        reclaimedAt = try row.optional(column + 3, as: Row.time)
    }
}
