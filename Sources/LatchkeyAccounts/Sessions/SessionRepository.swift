package import LatchkeyModel
package import LatchkeyServerKit

/// A repository of sessions and their tokens.
///
/// Tokens are stored only as SHA-256 hashes. Static methods run in the caller's transaction. Each instance
/// method uses a transaction of its own.
package struct SessionRepository: Sendable {
    /// A session, the identity that owns it, and the state of the token by which it was found.
    package struct Found: Sendable {
        /// The state of the token by which a session was found.
        package enum Token: Hashable, Sendable {
            /// The current token of the session.
            case current
            /// The current token of the session, which replaced another one and has not been used before.
            case unused
            /// A token that was replaced at re-authentication.
            ///
            /// The expiry of the token is `nil` until the new token is used.
            case replaced(validUntil: Timestamp?)
        }

        /// The session, which may have ended; see ``isAlive(at:)``.
        package let session: Session
        /// The identity that owns the session, which may be inactive.
        package let identity: IdentityRecord
        /// The state of the token; ``Token/current`` if the session was found by its id.
        package var token = Token.current

        /// Whether the token was replaced at re-authentication.
        package var isTokenReplaced: Bool {
            if case .replaced = token { true } else { false }
        }

        /// Returns whether the token is current, or was replaced and has not expired yet.
        package func isTokenValid(at now: Timestamp) -> Bool {
            guard case .replaced(let end?) = token else { return true }
            return now < end
        }

        /// Returns whether the session may be used with this token, which requires an active session, an
        /// active identity and a valid token.
        package func isAlive(at now: Timestamp) -> Bool {
            session.isAlive(at: now) && identity.isActive && isTokenValid(at: now)
        }
    }

    /// The time for which a replaced token remains valid after the new token is first used.
    private static let grace: Duration = .seconds(60)

    private let database: any Database

    /// Creates a repository; all nodes share its state through the database.
    package init(database: any Database) {
        self.database = database
    }

    /// Finds the session for a current or replaced token.
    ///
    /// The session may have ended. The result is `nil` if the token is unknown.
    ///
    /// - Throws: ``DatabaseError``.
    package func find(_ token: SessionToken) async throws -> Found? {
        let rows = try await database.rows(
            Self.byToken,
            .blob(token.hash)
        )
        guard let row = rows.first else { return try await find(replaced: token) }
        var found = try Self.found(row)
        if try row.bool(14) { found.token = .unused }
        return found
    }

    /// Finds the session for a token that was replaced at re-authentication, or returns `nil` if there is
    /// none.
    ///
    /// The session may have ended.
    private func find(replaced token: SessionToken) async throws -> Found? {
        let rows = try await database.rows(
            Self.byReplacedToken,
            .blob(token.hash)
        )
        guard let row = rows.first else { return nil }
        var found = try Self.found(row)
        found.token = .replaced(validUntil: try row.optional(14, as: Row.time))
        return found
    }

    /// Records the first use of a token, after which the tokens that it replaced are valid only for a grace
    /// period.
    ///
    /// The grace period of 60 seconds is for requests that are still in flight. Concurrent and later calls
    /// have no effect.
    ///
    /// - Throws: ``DatabaseError``.
    package func noteUse(of session: Identifier, at now: Timestamp) async throws {
        try await database.transaction { transaction in
            let noted = try transaction.execute(
                "UPDATE sessions SET token_unused = 0 WHERE id = $1 AND token_unused = 1",
                .identifier(session)
            )
            guard noted == 1 else { return }
            try transaction.execute(
                """
                UPDATE replaced_tokens SET valid_until = $1 WHERE session_id = $2 AND valid_until IS NULL
                """,
                .time(now + Self.grace),
                .identifier(session)
            )
        }
    }

    /// Finds a session by its id, even if it has ended, or returns `nil` if there is none.
    ///
    /// - Throws: ``DatabaseError``.
    package func find(_ session: Identifier) async throws -> Found? {
        try await database.rows(Self.byID, .identifier(session)).first.map(Self.found)
    }

    /// The columns from which ``found(_:)`` reads a session and its identity, for queries that use the
    /// aliases `s` and `i` for their tables.
    static let columns: SQL = """
        s.id, s.identity_id, s.method, s.issued_at, s.authenticated_at, s.expires_at, \
        s.needs_certificate, s.device_id, s.ip_address, s.user_agent, s.revoked_at, \
        i.schema_id, i.state, i.body
        """

    private static let byID: SQL = """
        SELECT \(columns) FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE s.id = $1
        """

    private static let byToken: SQL = """
        SELECT \(columns), s.token_unused \
        FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE s.token_hash = $1
        """

    private static let byReplacedToken: SQL = """
        SELECT \(columns), r.valid_until FROM replaced_tokens r JOIN sessions s ON s.id = r.session_id \
        JOIN identities i ON i.id = s.identity_id WHERE r.token_hash = $1
        """

    /// Reads a session with its identity from the fourteen columns with which all session queries begin.
    static func found(_ row: Row) throws(DatabaseError) -> Found {
        let session = try Session(row: row)
        return Found(
            session: session,
            identity: IdentityRecord(
                id: session.identityID,
                schemaID: try row.text(11),
                isActive: try row.text(12) == IdentityRecord.active,
                body: try row.blob(13)
            )
        )
    }
}
