package import LatchkeyModel
package import LatchkeyServerKit

/// A repository of sessions and their tokens.
///
/// Tokens are stored only as SHA-256 hashes. Static methods run in the caller's transaction; instance methods
/// run in their own.
package struct SessionRepository: Sendable {
    /// A session, the identity that owns it, and the state of the token by which it was found.
    package struct Found: Sendable {
        /// The state of the token by which a session was found.
        package enum Token: Hashable, Sendable {
            /// The current token of the session.
            case current
            /// The current token of the session, which replaced another one and has not been used before.
            case unused
            /// A token that was replaced at re-authentication, with its expiry, which is `nil` until the new
            /// token is used.
            case replaced(validUntil: Timestamp?)
        }

        /// The session in any state; see ``isAlive(at:)``.
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

    /// Finds the session for a current or replaced token, in any state; returns `nil` if the token is
    /// unknown.
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

    /// Finds the session for a token that was replaced at re-authentication, in any state; returns `nil` if
    /// there is none.
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
    /// Concurrent and later calls have no effect.
    ///
    /// The grace period of 60 seconds is for requests that are still in flight.
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

    /// Finds a session by its id, in any state; returns `nil` if there is none.
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

    /// Stores a new session with the hash of its token.
    ///
    /// The caller must have inserted the identity or locked its row in the same transaction.
    ///
    /// - Parameters:
    ///   - opening: The session with its token, evidence and key thumbprint.
    ///   - transaction: The transaction of the login.
    /// - Throws: ``DatabaseError``.
    package static func insert(
        _ opening: NewSession,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let session = opening.session
        try transaction.execute(
            """
            INSERT INTO sessions (token_hash, id, identity_id, method, issued_at, authenticated_at, expires_at, \
            needs_certificate, device_id, ip_address, user_agent, evidence, key_thumbprint) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            .blob(opening.token.hash),
            .identifier(session.id),
            .identifier(session.identityID),
            .text(session.method.rawValue),
            .time(session.issuedAt),
            .time(session.authenticatedAt),
            .time(session.expiresAt),
            .bool(session.needsCertificate),
            .identifier(session.deviceID),
            .text(session.ipAddress),
            .text(session.userAgent),
            .text(opening.evidence.text),
            .optional(opening.keyThumbprint)
        )
    }

    /// Extends a session after re-authentication and replaces its token.
    ///
    /// The previous token remains valid until one minute after the first use of the new one, but it is not
    /// privileged.
    ///
    /// If the session is not active, its row and its token do not change.
    ///
    /// - Parameters:
    ///   - session: The session after the re-authentication; see
    ///     ``Session/authenticatedAgain(by:at:lifespan:)``.
    ///   - evidence: The evidence to store, which replaces the previous evidence.
    ///   - token: The new token.
    ///   - transaction: The transaction to write in.
    /// - Returns: Whether the session was active.
    /// - Throws: ``DatabaseError``.
    package static func renew(
        _ session: Session,
        evidence: SessionEvidence,
        token: SessionToken,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        // A replaced token is retained for 30 days after its expiry, so a late logout with it still succeeds.
        try transaction.execute(
            "DELETE FROM replaced_tokens WHERE session_id = $1 AND valid_until < $2",
            .identifier(session.id),
            .time(session.authenticatedAt - .seconds(30 * 86_400))
        )
        try transaction.execute(
            """
            INSERT INTO replaced_tokens (token_hash, session_id, valid_until) \
            SELECT token_hash, id, NULL FROM sessions WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2
            """,
            .identifier(session.id),
            .time(session.authenticatedAt)
        )
        return try transaction.execute(
            """
            UPDATE sessions SET method = $1, authenticated_at = $2, expires_at = $3, evidence = $4, \
            token_hash = $5, token_unused = 1 WHERE id = $6 AND revoked_at IS NULL AND expires_at > $2
            """,
            .text(session.method.rawValue),
            .time(session.authenticatedAt),
            .time(session.expiresAt),
            .text(evidence.text),
            .blob(token.hash),
            .identifier(session.id)
        ) == 1
    }

    /// Revokes all sessions of an identity.
    ///
    /// Sessions that were already revoked retain their time of revocation. Certificates do not change.
    ///
    /// - Parameters:
    ///   - identity: The id of the identity.
    ///   - now: The time of the revocation.
    ///   - transaction: The transaction to write in.
    /// - Returns: The number of sessions that this call revoked.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package static func revokeAll(
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            "UPDATE sessions SET revoked_at = $1 WHERE identity_id = $2 AND revoked_at IS NULL",
            .time(now),
            .identifier(identity)
        )
    }

    /// Revokes the other active sessions of an identity, including provisional ones.
    ///
    /// - Parameters:
    ///   - session: The id of the session that remains.
    ///   - identity: The id of the identity.
    ///   - now: The time of the revocation; sessions that have expired by then are not revoked.
    ///   - transaction: The transaction to write in.
    /// - Returns: The number of sessions that this call revoked.
    /// - Throws: ``DatabaseError``.
    package static func revokeOthers(
        than session: Identifier,
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        try transaction.execute(
            """
            UPDATE sessions SET revoked_at = $1 \
            WHERE identity_id = $2 AND id <> $3 AND revoked_at IS NULL AND expires_at > $1
            """,
            .time(now),
            .identifier(identity),
            .identifier(session)
        )
    }

    /// Revokes an active session of an identity.
    ///
    /// - Returns: `false` if the session is not active or belongs to another identity.
    /// - Throws: ``DatabaseError``.
    package static func revoke(
        _ session: Identifier,
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE sessions SET revoked_at = $1 \
            WHERE id = $2 AND identity_id = $3 AND revoked_at IS NULL AND expires_at > $1
            """,
            .time(now),
            .identifier(session),
            .identifier(identity)
        ) == 1
    }

    /// Locks the row of a session with a no-op update, so a concurrent revocation conflicts.
    ///
    /// This method is used by requests that must not take effect after their session has ended. The caller
    /// rolls back if the result is `false`.
    ///
    /// Lock the row of the identity before the row of the session, as all transactions that lock both do.
    ///
    /// - Returns: `false` if the session is not active or belongs to another identity.
    package static func hold(
        _ session: Identifier,
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE sessions SET expires_at = expires_at \
            WHERE id = $1 AND identity_id = $2 AND revoked_at IS NULL AND expires_at > $3
            """,
            .identifier(session),
            .identifier(identity),
            .time(now)
        ) == 1
    }

    /// Returns whether a token is the current token of a session.
    ///
    /// The result is `false` for a token that was replaced at re-authentication.
    ///
    /// - Throws: ``DatabaseError``.
    package static func has(
        _ token: SessionToken,
        of session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try !transaction.rows(
            "SELECT 1 FROM sessions WHERE token_hash = $1 AND id = $2",
            .blob(token.hash),
            .identifier(session)
        ).isEmpty
    }

    /// Turns a provisional session into a full one after its device is enrolled; a full session does not
    /// change.
    ///
    /// The row is written in both cases, which serializes concurrent calls for the same session. The lifespan
    /// begins when the session was issued.
    ///
    /// - Parameters:
    ///   - session: The id of the session.
    ///   - lifespan: The lifespan of a full session.
    ///   - now: The current time, at which the session must be active.
    ///   - transaction: The transaction that stores the certificate.
    /// - Returns: The expiry of the full session; `nil` if the session is not active.
    /// - Throws: ``DatabaseError``.
    package static func certify(
        _ session: Identifier,
        lifespan: Duration,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Timestamp? {
        try transaction.rows(
            """
            UPDATE sessions SET needs_certificate = 0, \
            expires_at = CASE WHEN needs_certificate = 1 THEN issued_at + $1 ELSE expires_at END \
            WHERE id = $2 AND revoked_at IS NULL AND expires_at > $3 \
            RETURNING expires_at
            """,
            .integer(lifespan.wholeMicroseconds),
            .identifier(session),
            .time(now)
        ).first?.time(0)
    }

    /// Revokes a session permanently, which invalidates all of its tokens; if it was already revoked, the
    /// time of revocation does not change.
    ///
    /// - Returns: Whether this call revoked the session; `true` even if it had already expired.
    /// - Throws: ``DatabaseError``.
    package static func revoke(
        _ session: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "UPDATE sessions SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL",
            .time(now),
            .identifier(session)
        ) == 1
    }

    /// Deletes sessions that expired before the given time, in order of expiry, with their tokens.
    ///
    /// A session that was revoked early is retained until its regular expiry, so a repeated logout still
    /// succeeds.
    ///
    /// - Parameters:
    ///   - time: The current time minus the retention period.
    ///   - limit: The maximum number of sessions to delete.
    ///   - transaction: The transaction to delete in.
    /// - Returns: The number of deleted sessions.
    /// - Throws: ``DatabaseError``.
    package static func deleteExpired(
        before time: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        let rows = try transaction.rows(
            "SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2",
            .time(time),
            .integer(Int64(limit))
        )
        for row in rows {
            try delete(try row.identifier(0), in: transaction)
        }
        return rows.count
    }

    /// Deletes a session with its tokens.
    ///
    /// Its certificates remain until the account is deleted.
    ///
    /// - Returns: Whether the session existed.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package static func delete(_ session: Identifier, in transaction: borrowing Transaction)
        throws(DatabaseError)
        -> Bool
    {
        let id = SQLValue.identifier(session)
        try transaction.execute("DELETE FROM token_families WHERE session_id = $1", id)
        try transaction.execute("DELETE FROM replaced_tokens WHERE session_id = $1", id)
        return try transaction.execute("DELETE FROM sessions WHERE id = $1", id) == 1
    }
}
