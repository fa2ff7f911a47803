import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The family of refresh tokens of one session, of which only the highest used number is stored.
///
/// The value is a snapshot of the family, its session and its identity at the time of the read.
struct TokenFamily: Sendable {
    /// The verdict on a refresh token that a client presents.
    enum Showing: Hashable, Sendable {
        /// The newest token, which was not used before.
        case first
        /// The last used token, whose successor was not used: the response was lost, or the client sent
        /// concurrent requests.
        case again
        /// A token whose successor was used: another client may have it.
        ///
        /// In a refresh with a nonce that was issued after that use, it revokes the session; see
        /// ``TokenRefresh``.
        case dead
        /// A token that was never issued.
        ///
        /// As tokens are authenticated, a client has one only if, for example, the database was restored from
        /// a backup.
        case unknown
    }

    /// The login that access tokens describe in their claims (RFC 9068, OpenID Connect Core).
    struct Login: Sendable {
        /// The id of the identity schema, the claim `schema`.
        let schemaID: String
        /// The method of the last authentication, which determines the claim `amr`.
        let method: AuthenticationMethod
        /// The time of the last authentication, the claim `auth_time`.
        let authenticatedAt: Timestamp
        /// The time at which the owner of an address took the account over, the claim `reclaimed_at`; `nil`
        /// if that never happened.
        var reclaimedAt: Timestamp?
    }

    /// The id of the session, which is also the key of the family and the claim `sid`.
    let session: Identifier
    /// The id of the identity that owns the session, the claim `sub`.
    let identity: Identifier
    /// The last login or re-authentication of the session.
    let login: Login

    /// The expiry of the session.
    let expiresAt: Timestamp

    /// Whether the identity is active, and the session is neither revoked nor provisional; expiry is not
    /// considered.
    let isUsable: Bool

    /// The thumbprint of the key that the tokens are bound to.
    ///
    /// It is fixed when the family is created; a proof of any other key is rejected.
    let keyThumbprint: [UInt8]

    /// The highest number that was used; 0 if no token was used.
    let used: Int64

    /// The time of the first use of that number, or of the opening of the family if no token was used.
    let usedAt: Timestamp

    /// The newest token, which has not been used yet.
    var newest: RefreshToken { RefreshToken(session: session, number: used + 1) }

    /// Returns the verdict on a token by its number.
    ///
    /// Only the number is considered: whether the session is active is decided by ``isAlive(at:)``.
    func judge(_ number: Int64) -> Showing {
        switch number {
        case used + 1: .first
        case used where used > 0: .again
        case 1..<max(1, used): .dead
        default: .unknown
        }
    }

    /// Returns whether the tokens can be used at a time, that is, whether the session is active.
    func isAlive(at now: Timestamp) -> Bool {
        isUsable && expiresAt > now
    }
}

extension TokenFamily.Login {
    /// Reads a login from the columns schema_id, method, authenticated_at and reclaimed_at, starting at an
    /// index.
    ///
    /// - Throws: ``DatabaseError`` with the code `mismatch` if a column has another type, or the method is
    ///   unknown to this version of the server.
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
