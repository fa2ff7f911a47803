package import LatchkeyModel
package import LatchkeyServerKit

extension IdentityRepository {
    /// The statements that delete an identity together with everything that belongs to it.
    ///
    /// Every statement uses an index. Tables that are referenced by others come last.
    private static let belongings: [SQL] = [
        """
        DELETE FROM replaced_tokens WHERE session_id IN (SELECT id FROM sessions WHERE identity_id = $1)
        """,
        "DELETE FROM certificates WHERE identity_id = $1",
        "DELETE FROM sessions WHERE identity_id = $1",
        "DELETE FROM passwords WHERE identity_id = $1",
        "DELETE FROM known_networks WHERE identity_id = $1",
        "DELETE FROM address_states WHERE identity_id = $1",
        "DELETE FROM addresses WHERE identity_id = $1",
        "DELETE FROM identifiers WHERE identity_id = $1",
        "DELETE FROM identities WHERE id = $1",
    ]

    /// Returns the ids of accounts that are due for erasure, starting with the one that has been due the
    /// longest.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limit: The maximum number of accounts to return.
    ///   - database: The database to read from.
    /// - Returns: The ids. Pass each id to ``close(deleted:before:in:)`` before deleting the account.
    /// - Throws: ``DatabaseError``.
    static func deleted(
        before now: Timestamp,
        atMost limit: Int,
        in database: any Database
    ) async throws -> [Identifier] {
        try await database.rows(
            "SELECT id FROM identities WHERE deletion_at <= $1 ORDER BY deletion_at, id LIMIT $2",
            .time(now),
            .integer(Int64(limit))
        ).map { row in try row.identifier(0) }
    }

    /// Deactivates an account that is due for erasure, which also locks its row.
    ///
    /// - Returns: `false` if a login has cancelled the deletion or another node has already erased the
    ///   account.
    /// - Throws: ``DatabaseError``.
    static func close(
        deleted identity: Identifier,
        before now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "UPDATE identities SET state = 'inactive' WHERE id = $1 AND deletion_at <= $2",
            .identifier(identity),
            .time(now)
        ) == 1
    }

    /// Cancels the deletion of an account or its lapse, because its user has logged in.
    ///
    /// The lapse is set to 0, so that one statement tells both apart: a deletion needs a session, and the login that
    /// has opened it has cancelled the lapse.
    ///
    /// - Returns: Whether the account was scheduled for deletion.
    /// - Throws: ``DatabaseError``.
    static func cancelDeletion(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let changed = try transaction.rows(
            """
            UPDATE identities SET deletion_at = NULL, lapses_at = CASE WHEN lapses_at > 0 THEN 0 END, \
            version = version + CASE WHEN deletion_at IS NULL THEN 0 ELSE 1 END \
            WHERE id = $1 AND (deletion_at IS NOT NULL OR lapses_at > 0) RETURNING lapses_at
            """,
            .identifier(identity)
        )
        return changed.first?.isNull(0) ?? false
    }

    /// Records when an account is erased that a user has created with a mailed link.
    package static func setLapse(
        of identity: Identifier,
        at time: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE identities SET lapses_at = $1 WHERE id = $2",
            .time(time),
            .identifier(identity)
        )
    }

    /// Postpones the erasure of an account whose user has asked for another mail.
    package static func extendLapse(
        of identity: Identifier,
        to time: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE identities SET lapses_at = $1 WHERE id = $2 AND lapses_at > 0",
            .time(time),
            .identifier(identity)
        )
    }

    /// Returns accounts that no user has confirmed or logged in to in time.
    static func lapsed(
        at now: Timestamp,
        atMost limit: Int,
        in database: any Database
    ) async throws(DatabaseError) -> [Identifier] {
        try await database.rows(
            """
            SELECT id FROM identities WHERE lapses_at > 0 AND lapses_at <= $1 AND confirmed_at IS NULL \
            ORDER BY lapses_at, id LIMIT $2
            """,
            .time(now),
            .integer(Int64(limit))
        ).map { row throws(DatabaseError) in try row.identifier(0) }
    }

    /// Deactivates an account that is due for erasure because it has lapsed, which also locks its row.
    ///
    /// - Returns: `false` if its user has confirmed it or logged in to it, or another node has erased it.
    static func close(
        lapsed identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE identities SET state = 'inactive' \
            WHERE id = $1 AND lapses_at > 0 AND lapses_at <= $2 AND confirmed_at IS NULL
            """,
            .identifier(identity),
            .time(now)
        ) == 1
    }

    /// Ends the lapse of an account without erasing it.
    static func keepLapsed(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE identities SET lapses_at = 0 WHERE id = $1",
            .identifier(identity)
        )
    }

    /// Deactivates an identity that is about to be deleted, and locks its row and the row of its password.
    ///
    /// A concurrent login locks the same rows, so it conflicts and doesn't create a session.
    ///
    /// - Returns: Whether the identity exists.
    /// - Throws: ``DatabaseError``.
    static func close(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let closed = try transaction.execute(
            "UPDATE identities SET state = 'inactive' WHERE id = $1",
            .identifier(identity)
        )
        guard closed == 1 else { return false }
        try transaction.execute(
            "UPDATE passwords SET hash = hash WHERE identity_id = $1",
            .identifier(identity)
        )
        return true
    }

    /// Permanently deletes everything that this module stores for an identity, except for its audit events
    /// and rate limit counters.
    ///
    /// This method doesn't delete data in other modules. To erase an account completely, use
    /// ``AccountErasure``, which also locks the identity first.
    ///
    /// - Throws: ``DatabaseError``.
    static func delete(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for statement in belongings { try transaction.execute(statement, .identifier(identity)) }
        try transaction.publish(.identity(identity))
    }

    /// Returns accounts that were never confirmed, have lost their last address and have no active session.
    ///
    /// - Parameters:
    ///   - now: The current time, which determines which sessions are active.
    ///   - limit: The maximum number of accounts to return.
    ///   - database: The database to read from.
    /// - Returns: The ids, sorted.
    /// - Throws: ``DatabaseError``.
    static func stranded(
        at now: Timestamp,
        atMost limit: Int,
        in database: any Database
    ) async throws(DatabaseError) -> [Identifier] {
        try await database.rows(
            """
            SELECT id FROM identities i WHERE duties IS NOT NULL AND confirmed_at IS NULL \
            AND NOT EXISTS (SELECT 1 FROM identifiers WHERE identity_id = i.id) \
            AND NOT EXISTS (SELECT 1 FROM addresses WHERE identity_id = i.id AND kind = 'recovery') \
            AND NOT EXISTS (SELECT 1 FROM sessions WHERE identity_id = i.id \
            AND revoked_at IS NULL AND expires_at > $1) ORDER BY id LIMIT $2
            """,
            .time(now),
            .integer(Int64(limit))
        ).map { row throws(DatabaseError) in try row.identifier(0) }
    }
}
