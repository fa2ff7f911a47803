package import LatchkeyModel
package import LatchkeyServerKit

/// The statements that revoke sessions; each of them leaves the time of an earlier revocation unchanged.
///
/// All revocations pass through these statements, which publish the end of the sessions (``Transaction/publish(_:)``).
extension SessionRepository {
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
        let count = try transaction.execute(
            "UPDATE sessions SET revoked_at = $1 WHERE identity_id = $2 AND revoked_at IS NULL",
            .time(now),
            .identifier(identity)
        )
        if count > 0 { try transaction.publish(.identity(identity)) }
        return count
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
        let count = try transaction.execute(
            """
            UPDATE sessions SET revoked_at = $1 \
            WHERE identity_id = $2 AND id <> $3 AND revoked_at IS NULL AND expires_at > $1
            """,
            .time(now),
            .identifier(identity),
            .identifier(session)
        )
        if count > 0 { try transaction.publish(.identity(identity)) }
        return count
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
        let count = try transaction.execute(
            """
            UPDATE sessions SET revoked_at = $1 \
            WHERE id = $2 AND identity_id = $3 AND revoked_at IS NULL AND expires_at > $1
            """,
            .time(now),
            .identifier(session),
            .identifier(identity)
        )
        return try publishEnd(of: session, after: count, in: transaction)
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
        let count = try transaction.execute(
            "UPDATE sessions SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL",
            .time(now),
            .identifier(session)
        )
        return try publishEnd(of: session, after: count, in: transaction)
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
        let count = try transaction.execute(
            "UPDATE sessions SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL AND expires_at > $1",
            .time(now),
            .identifier(session)
        )
        return try publishEnd(of: session, after: count, in: transaction)
    }

    /// Publishes the end of a session if a statement has changed its row, and returns whether it has.
    private static func publishEnd(
        of session: Identifier,
        after count: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        guard count == 1 else { return false }
        try transaction.publish(.session(session))
        return true
    }
}
