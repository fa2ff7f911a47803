package import LatchkeyModel
package import LatchkeyServerKit

/// Methods that end sessions by their age, and delete them.
extension SessionRepository {
    /// Applies the idle lifespan to sessions that last longer, because the operator has set or shortened it.
    ///
    /// Their idle lifespan begins now, because their last use is unknown.
    ///
    /// - Parameters:
    ///   - idleLifespan: The idle lifespan of all sessions.
    ///   - now: The current time.
    ///   - limit: The maximum number of sessions to change.
    ///   - transaction: The database transaction that the changes are written in.
    /// - Returns: The number of changed sessions.
    /// - Throws: ``DatabaseError``.
    package static func applyIdleLifespan(
        _ idleLifespan: Duration,
        at now: Timestamp,
        atMost limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        // Sessions that end with others come first, so that they never last longer.
        var count = 0
        for condition: SQL in ["parent_id IS NOT NULL", "parent_id IS NULL"] where count < limit {
            count += try transaction.execute(
                """
                UPDATE sessions SET expires_at = $1 WHERE id IN (SELECT id FROM sessions \
                WHERE expires_at > $1 AND revoked_at IS NULL AND \(condition) ORDER BY expires_at DESC LIMIT $2)
                """,
                .time(now + idleLifespan),
                .integer(Int64(limit - count))
            )
        }
        return count
    }

    /// Deletes sessions that expired before the given time, along with their tokens.
    ///
    /// The oldest sessions are deleted first.
    ///
    /// If a session was revoked early, we keep it until its regular expiry date, so that logging out again
    /// still succeeds.
    ///
    /// - Parameters:
    ///   - time: The current time minus the retention period.
    ///   - limit: The maximum number of sessions to delete.
    ///   - data: The data that other modules store about sessions.
    ///   - transaction: The database transaction that deletes the sessions.
    /// - Returns: The number of deleted sessions.
    /// - Throws: ``DatabaseError``.
    package static func deleteExpired(
        before time: Timestamp,
        atMost limit: Int,
        with data: AccountData,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int {
        let rows = try transaction.rows(
            "SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2",
            .time(time),
            .integer(Int64(limit))
        )
        for row in rows {
            // Sessions that expired long ago have no subscribers, so there is no need to publish that they
            // have ended.
            _ = try deleteRows(of: try row.identifier(0), with: data, in: transaction)
        }
        return rows.count
    }

    /// Deletes a session, those that end with it and their tokens, and publishes that they have ended.
    ///
    /// The session's certificates are kept until the account is deleted.
    ///
    /// - Parameters:
    ///   - session: The session's id.
    ///   - data: The data that other modules store about sessions.
    ///   - transaction: The database transaction that deletes the session.
    /// - Returns: Whether the session existed.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package static func delete(
        _ session: Identifier,
        with data: AccountData,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let children = try transaction.rows(
            "SELECT id FROM sessions WHERE parent_id = $1",
            .identifier(session)
        )
        guard try deleteRows(of: session, with: data, in: transaction) else { return false }
        try transaction.publish(.session(session))
        for row in children {
            let child = try row.identifier(0)
            _ = try deleteRows(of: child, with: data, in: transaction)
            try transaction.publish(.session(child))
        }
        return true
    }

    /// Deletes a session's rows, and returns whether the session existed.
    private static func deleteRows(
        of session: Identifier,
        with data: AccountData,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let id = SQLValue.identifier(session)
        try data.deleteRows(ofSession: session, in: transaction)
        try transaction.execute("DELETE FROM replaced_tokens WHERE session_id = $1", id)
        return try transaction.execute("DELETE FROM sessions WHERE id = $1", id) == 1
    }
}
