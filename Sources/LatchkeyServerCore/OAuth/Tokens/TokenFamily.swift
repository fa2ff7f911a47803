import LatchkeyModel

/// The refresh tokens of one session, as they are kept: which was the last that was used.
struct TokenFamily: Sendable {
    /// What showing a token means.
    enum Showing: Hashable, Sendable {
        /// It is the newest: from now on it is the used one.
        case first
        /// It is the used one, and its successor is not: the answer was lost, or several ask at once.
        case again
        /// Its successor was used: it is out of the hands that it was meant for.
        case dead
        /// It was never given out.
        case unknown
    }

    /// What an access token says about the login (RFC 9068, OpenID Connect Core).
    struct Login: Sendable {
        let schemaID: String
        let method: String
        let authenticatedAt: Timestamp
        var reclaimedAt: Timestamp?
    }

    let session: Identifier
    let identity: Identifier
    let login: Login

    /// When the session ends by itself.
    let expiresAt: Timestamp

    /// Whether session and identity are otherwise in a state in which they may be used.
    let isUsable: Bool

    /// The only key whose holder may use the tokens.
    let keyThumbprint: [UInt8]

    /// The highest number that was shown; 0 when none was.
    let used: Int64

    /// When that was.
    let usedAt: Timestamp

    /// The token that is to be used next.
    var newest: RefreshToken { RefreshToken(session: session, number: used + 1) }

    /// Judges the showing of a token by its number.
    func judge(_ number: Int64) -> Showing {
        switch number {
        case used + 1: .first
        case used where used > 0: .again
        case 1..<max(1, used): .dead
        default: .unknown
        }
    }

    /// Whether its tokens may be used at a time; they live and die with the session.
    func isAlive(at now: Timestamp) -> Bool {
        isUsable && expiresAt > now
    }
}

extension TokenFamily.Login {
    /// Reads a login from the columns schema_id, method, authenticated_at and reclaimed_at.
    init(row: Row, from column: Int) throws(DatabaseError) {
        schemaID = try row.text(column)
        method = try row.text(column + 1)
        authenticatedAt = try row.time(column + 2)
        reclaimedAt = try row.optional(column + 3, Row.time)
    }
}
