package import LatchkeyModel
package import LatchkeyServerKit

/// A repository of sessions and their tokens.
///
/// Tokens are stored as SHA-256 hashes only. The static methods run in the transaction of the caller; the
/// others run in their own.
package struct SessionRepository: Sendable {
    /// A session with the identity that owns it, and the kind of token by which it was found.
    package struct Found: Sendable {
        /// The state of the token by which a session was found.
        package enum Token: Hashable, Sendable {
            /// The current token of the session.
            case current
            /// The current token of the session, which replaced another one and has not been used before.
            case unused
            /// A token that was replaced by a re-authentication, with its expiry; `nil` until its successor
            /// is used.
            case replaced(validUntil: Timestamp?)
        }

        /// The session in any state; see ``isAlive(at:)``.
        package let session: Session
        /// The identity that owns the session, which may be inactive.
        package let identity: IdentityRecord
        /// The state of the token; ``Token/current`` if the session was found by its id.
        package var token = Token.current

        /// Whether a re-authentication has replaced the token.
        package var isTokenReplaced: Bool {
            if case .replaced = token { true } else { false }
        }

        /// Returns whether the token is current, or replaced and not expired yet.
        package func isTokenValid(at now: Timestamp) -> Bool {
            guard case .replaced(let end?) = token else { return true }
            return now < end
        }

        /// Returns whether the session may be used with this token: session, identity and token must all be
        /// active.
        package func isAlive(at now: Timestamp) -> Bool {
            session.isAlive(at: now) && identity.isActive && isTokenValid(at: now)
        }
    }

    /// The time for which a replaced token remains valid after the first use of its successor.
    private static let grace: Duration = .seconds(60)

    private let database: any Database

    /// Creates a repository; all nodes share its state through the database.
    package init(database: any Database) {
        self.database = database
    }

    /// Finds the session of a current or replaced token, in any state; returns `nil` if the token is unknown.
    ///
    /// - Throws: ``DatabaseError``.
    package func find(_ token: SessionToken) async throws -> Found? {
        let rows = try await database.rows(
            """
            SELECT s.id, s.identity_id, s.method, s.issued_at, s.authenticated_at, s.expires_at, \
            s.needs_certificate, s.device_id, s.ip_address, s.user_agent, s.revoked_at, \
            i.schema_id, i.state, i.body, s.token_unused \
            FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE s.token_hash = $1
            """,
            .blob(token.hash)
        )
        guard let row = rows.first else { return try await find(replaced: token) }
        var found = try Self.found(row)
        if try row.bool(14) { found.token = .unused }
        return found
    }

    /// Finds the session of a token that a re-authentication has replaced, in any state; `nil` if there is
    /// none.
    private func find(replaced token: SessionToken) async throws -> Found? {
        let rows = try await database.rows(
            """
            SELECT s.id, s.identity_id, s.method, s.issued_at, s.authenticated_at, s.expires_at, \
            s.needs_certificate, s.device_id, s.ip_address, s.user_agent, s.revoked_at, \
            i.schema_id, i.state, i.body, r.valid_until \
            FROM replaced_tokens r JOIN sessions s ON s.id = r.session_id \
            JOIN identities i ON i.id = s.identity_id WHERE r.token_hash = $1
            """,
            .blob(token.hash)
        )
        guard let row = rows.first else { return nil }
        var found = try Self.found(row)
        found.token = .replaced(validUntil: try row.optional(14, as: Row.time))
        return found
    }

    /// Records the first use of a token that replaced others, which from then on are valid for the grace
    /// period only.
    ///
    /// Concurrent and later calls have no effect.
    ///
    /// The grace period is 60 seconds, for requests of the client that are still in flight.
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
        let rows = try await database.rows(
            """
            SELECT s.id, s.identity_id, s.method, s.issued_at, s.authenticated_at, s.expires_at, \
            s.needs_certificate, s.device_id, s.ip_address, s.user_agent, s.revoked_at, \
            i.schema_id, i.state, i.body \
            FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE s.id = $1
            """,
            .identifier(session)
        )
        return try rows.first.map(Self.found)
    }

    /// Reads a session with its identity from the fourteen columns that all queries of sessions select first.
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
    /// The caller has inserted the identity or locked its row in the same transaction.
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

    /// Extends a session after re-authentication, and replaces its token.
    ///
    /// The previous token remains valid until the new one is used, and for a minute after that, but is not
    /// privileged.
    ///
    /// If the session is not active, neither its row nor its token is changed.
    ///
    /// - Parameters:
    ///   - session: The session after the re-authentication, see
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
        // A replaced token is retained for 30 days after its expiry, so that a late logout with it succeeds
        // again.
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
    /// Sessions that were revoked before keep their time of revocation. Certificates are not changed.
    ///
    /// - Parameters:
    ///   - identity: The id of the identity.
    ///   - now: The time of the revocation.
    ///   - transaction: The transaction to write in.
    /// - Returns: The number of sessions that were not revoked before.
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
    ///   - now: The time of the revocation, at which the other sessions must be active.
    ///   - transaction: The transaction to write in.
    /// - Returns: The number of sessions that were active.
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

    /// Locks the row of a session with a no-op update, so that a concurrent revocation conflicts.
    ///
    /// Used by requests that must not take effect after the end of their session. The caller rolls back if
    /// the result is `false`.
    ///
    /// The identity's row is locked before that of the session, as in all transactions that lock both.
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

    /// Returns whether a token is the current one of a session.
    ///
    /// Returns `false` for a token that a re-authentication has replaced.
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

    /// Turns a provisional session into a full one after its device was enrolled; has no effect on a full
    /// session.
    ///
    /// The row is written in both cases, so that concurrent calls for one session are serialized. The
    /// lifespan counts from the time at which the session was issued.
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

    /// Revokes a session permanently, which invalidates all of its tokens; the time of an earlier revocation
    /// does not change.
    ///
    /// - Returns: Whether the session was not revoked before; `true` for an expired one, too.
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

    /// Deletes the sessions that expired before a time, in order of expiry, with their tokens.
    ///
    /// A session that was revoked early is retained until its regular expiry, so that repeating the logout
    /// succeeds again.
    ///
    /// - Parameters:
    ///   - time: The time; the caller subtracts the retention period.
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
