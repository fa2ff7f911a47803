package import LatchkeyModel
package import LatchkeyServerKit

extension SessionRepository {
    /// The ids of a session and the identity that owns it.
    package typealias Reference = (session: Identifier, identity: Identifier)

    /// Returns the ids of a session and its identity, even if the session has expired or was revoked.
    ///
    /// The array has one element, or is empty if there is no session with this id.
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

    /// Returns all sessions of an identity, sorted by id.
    ///
    /// Expired and revoked sessions are included.
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
    ///   - now: The current time if only active sessions are wanted, or `nil` to include expired and revoked
    ///     sessions.
    ///   - limit: The maximum number of sessions to return.
    ///   - transaction: The database transaction to read in.
    /// - Returns: The ids of the sessions and of the identities that own them.
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

    /// Returns whether an identity has a session that has neither expired nor been revoked.
    ///
    /// - Throws: ``DatabaseError``.
    static func hasActiveSession(
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try !transaction.rows(
            """
            SELECT 1 FROM sessions WHERE identity_id = $1 AND revoked_at IS NULL AND expires_at > $2 LIMIT 1
            """,
            .identifier(identity),
            .time(now)
        ).isEmpty
    }

    /// Reads the ids from the rows returned by the queries above.
    private static func references(_ rows: [Row]) throws(DatabaseError) -> [Reference] {
        var found: [Reference] = []
        for row in rows { found.append((try row.identifier(0), try row.identifier(1))) }
        return found
    }
}
