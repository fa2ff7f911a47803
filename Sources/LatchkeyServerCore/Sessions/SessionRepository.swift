package import LatchkeyModel

/// Where sessions are kept.
package struct SessionRepository: Sendable {
    /// A session with the identity it belongs to.
    package struct Found: Sendable {
        package let session: Session
        package let identity: IdentityRecord
    }

    private let database: any Database

    package init(_ context: ServerContext) {
        database = context.database
    }

    /// Finds the session of a token, whatever its state.
    package func find(_ token: SessionToken) async throws -> Found? {
        let rows = try await database.rows(
            """
            SELECT s.id, s.identity_id, s.method, s.issued_at, s.authenticated_at, s.expires_at, \
            s.needs_certificate, s.device_id, s.ip_address, s.user_agent, s.revoked_at, \
            i.schema_id, i.state, i.body \
            FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE s.token_hash = $1
            """,
            .blob(token.hash)
        )
        return try rows.first.map(Self.found)
    }

    /// Finds a session, whatever its state.
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

    /// Reads a session with its identity from the columns that both are selected by.
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

    /// Opens a session.
    package static func insert(
        _ session: Session,
        token: SessionToken,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO sessions (token_hash, id, identity_id, method, issued_at, authenticated_at, expires_at, \
            needs_certificate, device_id, ip_address, user_agent) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            """,
            .blob(token.hash),
            .identifier(session.id),
            .identifier(session.identityID),
            .text(session.method),
            .time(session.issuedAt),
            .time(session.authenticatedAt),
            .time(session.expiresAt),
            .bool(session.needsCertificate),
            .identifier(session.deviceID),
            .text(session.ipAddress),
            .text(session.userAgent)
        )
    }

    /// Begins the life of a session anew after its owner has proved again who it is.
    ///
    /// - Returns: Whether it was alive.
    package static func renew(
        _ session: Session,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE sessions SET method = $1, authenticated_at = $2, expires_at = $3 \
            WHERE id = $4 AND revoked_at IS NULL AND expires_at > $2
            """,
            .text(session.method),
            .time(session.authenticatedAt),
            .time(session.expiresAt),
            .identifier(session.id)
        ) == 1
    }

    /// Ends all sessions of an identity.
    package static func revokeAll(
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE sessions SET revoked_at = $1 WHERE identity_id = $2 AND revoked_at IS NULL",
            .time(now),
            .identifier(identity)
        )
    }

    /// Ends the other sessions of an identity.
    ///
    /// - Returns: How many were alive.
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

    /// Ends one of an identity's sessions.
    ///
    /// - Returns: Whether it was alive, and the identity's.
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

    /// Writes a session's row to its own value: there a change in its name meets whoever ends it.
    ///
    /// - Returns: Whether it is alive, and the identity's.
    static func hold(
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

    /// Makes a session whole once its device has a certificate; one that is whole already stays as it is.
    ///
    /// The row is written in both cases: it is where two calls for one session meet. The lifespan counts from the
    /// session's beginning.
    ///
    /// - Returns: Whether it is alive.
    package static func certify(
        _ session: Identifier,
        lifespan: Duration,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE sessions SET needs_certificate = 0, \
            expires_at = CASE WHEN needs_certificate = 1 THEN issued_at + $1 ELSE expires_at END \
            WHERE id = $2 AND revoked_at IS NULL AND expires_at > $3
            """,
            .integer(lifespan.wholeMicroseconds),
            .identifier(session),
            .time(now)
        ) == 1
    }

    /// Ends a session for good, and all of its tokens with it; one that ended before keeps its time.
    ///
    /// - Returns: Whether it had not ended before.
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

    /// Deletes what was over before a time, the longest first, each with its tokens; tells how many.
    ///
    /// Sessions that were ended early stay until their time would have been over: until then logging out of them again
    /// is answered as the first time.
    static func deleteExpired(
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
            let id = SQLValue.identifier(try row.identifier(0))
            try transaction.execute("DELETE FROM token_families WHERE session_id = $1", id)
            try transaction.execute("DELETE FROM sessions WHERE id = $1", id)
        }
        return rows.count
    }
}
