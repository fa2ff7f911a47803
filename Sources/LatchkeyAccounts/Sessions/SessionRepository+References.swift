package import LatchkeyModel
package import LatchkeyServerKit

extension SessionRepository {
    /// The ids of a session and of its identity.
    package typealias Reference = (session: Identifier, identity: Identifier)

    /// Returns the ids of a session, even if it has expired or was revoked.
    ///
    /// The result is an array with one element, or an empty array if there is no session with this id.
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
    /// - Returns: The ids of the sessions and of their identities.
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

    /// Reads the two columns that the queries above select.
    private static func references(_ rows: [Row]) throws(DatabaseError) -> [Reference] {
        var found: [Reference] = []
        for row in rows { found.append((try row.identifier(0), try row.identifier(1))) }
        return found
    }
}
