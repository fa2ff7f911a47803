package import LatchkeyModel
package import LatchkeyServerKit

extension SessionRepository {
    /// The ids of a session and of its identity.
    package typealias Reference = (session: Identifier, identity: Identifier)

    /// Returns the ids of a session in any state, even expired or revoked, as the only element of an array;
    /// the array is empty if there is no session with this id.
    ///
    /// - Throws: ``DatabaseError``.
    package static func reference(
        to session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Reference] {
        try references(
            transaction.rows("SELECT id, identity_id FROM sessions WHERE id = $1", .identifier(session))
        )
    }

    /// Returns all sessions of an identity, including expired and revoked ones, sorted by id.
    ///
    /// - Throws: ``DatabaseError``.
    package static func references(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Reference] {
        try references(
            transaction.rows(
                "SELECT id, identity_id FROM sessions WHERE identity_id = $1 ORDER BY id",
                .identifier(identity)
            )
        )
    }

    /// Returns sessions of all identities, sorted by id.
    ///
    /// - Parameters:
    ///   - now: The time at which the sessions must be active; `nil` to include expired and revoked sessions.
    ///   - limit: The maximum number of sessions.
    ///   - transaction: The transaction to read in.
    /// - Returns: The sessions.
    /// - Throws: ``DatabaseError``.
    package static func references(
        activeAt now: Timestamp?,
        limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Reference] {
        guard let now else {
            return try references(
                transaction.rows(
                    "SELECT id, identity_id FROM sessions ORDER BY id LIMIT $1",
                    .integer(Int64(limit))
                )
            )
        }
        return try references(
            transaction.rows(
                """
                SELECT id, identity_id FROM sessions WHERE revoked_at IS NULL AND expires_at > $1 \
                ORDER BY id LIMIT $2
                """,
                .time(now),
                .integer(Int64(limit))
            )
        )
    }

    /// Revokes a session if it is active, and returns whether it was.
    ///
    /// Its certificates are not changed.
    ///
    /// - Throws: ``DatabaseError``.
    package static func revokeActive(
        _ session: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "UPDATE sessions SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL AND expires_at > $1",
            .time(now),
            .identifier(session)
        ) == 1
    }

    /// Extends an active session that is not provisional.
    ///
    /// The time of the last authentication does not change, so the session does not become privileged again.
    ///
    /// - Parameters:
    ///   - session: The id of the session.
    ///   - end: The new expiry, which has no effect if it is earlier than the current one.
    ///   - now: The time at which the session must be active.
    ///   - transaction: The transaction to write in.
    /// - Returns: Whether the session was extended.
    /// - Throws: ``DatabaseError``.
    package static func extend(
        _ session: Identifier,
        until end: Timestamp,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE sessions SET expires_at = $1 WHERE id = $2 AND expires_at < $1 \
            AND expires_at > $3 AND revoked_at IS NULL AND needs_certificate = 0
            """,
            .time(end),
            .identifier(session),
            .time(now)
        ) == 1
    }

    /// Reads the two columns that the queries above select.
    private static func references(_ rows: [Row]) throws(DatabaseError) -> [Reference] {
        var found: [Reference] = []
        for row in rows { found.append((try row.identifier(0), try row.identifier(1))) }
        return found
    }
}
