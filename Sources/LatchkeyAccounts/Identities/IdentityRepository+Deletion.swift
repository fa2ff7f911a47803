import LatchkeyModel
import LatchkeyServerKit

extension IdentityRepository {
    /// The statements that delete an identity and the rows that belong to it.
    ///
    /// Each statement uses an index, and referenced tables come last.
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

    /// Returns the ids of the accounts that are due for erasure, in the order of the times at which they became due.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limit: The maximum number of accounts.
    ///   - database: The database to read from.
    /// - Returns: The ids; see ``close(deleted:before:in:)``.
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

    /// Deactivates an account that is due for erasure, which locks its row.
    ///
    /// - Returns: `false` if a login has cancelled the deletion, or if another node has erased the account.
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

    /// Cancels the deletion of an account, and returns whether its owner had deleted it.
    ///
    /// - Throws: ``DatabaseError``.
    static func cancelDeletion(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE identities SET deletion_at = NULL, version = version + 1 \
            WHERE id = $1 AND deletion_at IS NOT NULL
            """,
            .identifier(identity)
        ) == 1
    }

    /// Deactivates an identity that is about to be deleted, and locks its row and that of its password.
    ///
    /// A concurrent login locks the same rows, so it conflicts and opens no session.
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

    /// Permanently deletes the rows of this module that belong to an identity; the audit log still refers to
    /// its id.
    ///
    /// Rows of other modules remain; see ``AccountErasure``, which locks the identity first.
    ///
    /// - Throws: ``DatabaseError``.
    static func delete(
        _ identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for statement in belongings { try transaction.execute(statement, .identifier(identity)) }
        try transaction.publish(.identity(identity))
    }
}
