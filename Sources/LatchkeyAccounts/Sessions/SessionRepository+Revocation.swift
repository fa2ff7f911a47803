package import LatchkeyModel
package import LatchkeyServerKit

/// Methods for revoking sessions.
///
/// If a session was already revoked, its revocation date doesn't change.
///
/// All revocations go through these methods, which publish that the sessions have ended
/// (``Transaction/publish(_:)``).
extension SessionRepository {
    /// Revokes all sessions of an identity.
    ///
    /// Sessions that were already revoked keep their revocation date. The sessions' certificates aren't
    /// revoked.
    ///
    /// - Parameters:
    ///   - identity: The identity's id.
    ///   - now: The time of the revocation.
    ///   - transaction: The database transaction that the changes are written in.
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
    ///   - session: The id of the session that isn't revoked.
    ///   - identity: The identity's id.
    ///   - now: The time of the revocation. Sessions that have already expired aren't revoked.
    ///   - transaction: The database transaction that the changes are written in.
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

    /// Revokes one of an identity's active sessions.
    ///
    /// - Returns: `false` if the session isn't active or belongs to another identity.
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

    /// Permanently revokes a session, which invalidates all of its tokens.
    ///
    /// If the session was already revoked, its revocation date doesn't change.
    ///
    /// - Returns: Whether this call revoked the session. `true` even if the session had already expired.
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

    /// Revokes a session if it is active, and returns whether the session was active.
    ///
    /// The session's certificates aren't affected.
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

    /// Revokes the sessions of an account that are too many, the one with the oldest login first.
    ///
    /// Full sessions and sessions that wait for a certificate are counted separately. Otherwise, logins whose
    /// device is never enrolled would end the sessions of the user's other devices.
    ///
    /// The caller must have locked the identity's row, because two concurrent logins would each keep too many
    /// sessions.
    ///
    /// - Parameters:
    ///   - session: The session that was just created or enrolled, which is never revoked.
    ///   - count: The number of sessions to keep, including `session`.
    ///   - isProvisional: Whether to count sessions that wait for a certificate, or full ones.
    ///   - now: The current time. Sessions that have already expired aren't counted.
    ///   - transaction: The database transaction that the changes are written in.
    ///   - event: Creates the audit event for the end of a session.
    /// - Throws: ``DatabaseError``.
    package static func displace(
        olderThan session: Session,
        toKeep count: Int,
        isProvisional: Bool,
        at now: Timestamp,
        in transaction: borrowing Transaction,
        recording event: (Identifier) -> AuditEvent
    ) throws(DatabaseError) {
        let rows = try transaction.rows(
            """
            SELECT id FROM sessions WHERE identity_id = $1 AND id <> $2 AND revoked_at IS NULL \
            AND expires_at > $3 AND needs_certificate = $4 ORDER BY authenticated_at DESC, id LIMIT $5 OFFSET $6
            """,
            .identifier(session.identityID),
            .identifier(session.id),
            .time(now),
            .bool(isProvisional),
            .integer(1000),
            .integer(Int64(count - 1))
        )
        for row in rows {
            let displaced = try row.identifier(0)
            guard try revokeActive(displaced, at: now, in: transaction) else { continue }
            try AuditLog.append(event(displaced), in: transaction)
        }
    }

    /// Publishes the end of a session if the session's row was changed, and returns whether the row was
    /// changed.
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
