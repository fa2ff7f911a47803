package import LatchkeyModel
package import LatchkeyServerKit

/// Methods for revoking sessions.
///
/// If a session was already revoked, its revocation date doesn't change.
///
/// All revocations go through these methods, which publish that the sessions have ended
/// (``Transaction/publish(_:)``). A session that ends with another one is revoked by the same statement.
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
    /// If the session ends with one of them, it is revoked, too.
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
            WHERE identity_id = $2 AND (id <> $3 OR parent_id IS NOT NULL) AND revoked_at IS NULL AND expires_at > $1
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
        try publishEnds(
            of: session,
            after: transaction.rows(
                """
                UPDATE sessions SET revoked_at = $1 WHERE (id = $2 OR parent_id = $2) AND identity_id = $3 \
                AND revoked_at IS NULL AND expires_at > $1 RETURNING id
                """,
                .time(now),
                .identifier(session),
                .identifier(identity)
            ),
            in: transaction
        )
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
        try publishEnds(
            of: session,
            after: transaction.rows(
                """
                UPDATE sessions SET revoked_at = $1 WHERE (id = $2 OR parent_id = $2) AND revoked_at IS NULL \
                RETURNING id
                """,
                .time(now),
                .identifier(session)
            ),
            in: transaction
        )
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
        try publishEnds(
            of: session,
            after: transaction.rows(
                """
                UPDATE sessions SET revoked_at = $1 WHERE (id = $2 OR parent_id = $2) AND revoked_at IS NULL \
                AND expires_at > $1 RETURNING id
                """,
                .time(now),
                .identifier(session)
            ),
            in: transaction
        )
    }

    /// Revokes the sessions of an account that are too many, the one with the oldest login first.
    ///
    /// Full sessions, sessions that wait for a certificate and sessions that end with others are counted
    /// separately. Otherwise, logins whose device is never enrolled would end the sessions of the user's other
    /// devices, and a session in a browser could end the one that it continues.
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
            AND expires_at > $3 AND needs_certificate = $4 AND CASE WHEN parent_id IS NULL THEN 0 ELSE 1 END = $7 \
            ORDER BY authenticated_at DESC, issued_at DESC, id LIMIT $5 OFFSET $6
            """,
            .identifier(session.identityID),
            .identifier(session.id),
            .time(now),
            .bool(isProvisional),
            .integer(1000),
            .integer(Int64(count - 1)),
            .bool(session.parentID != nil)
        )
        for row in rows {
            let displaced = try row.identifier(0)
            guard try revokeActive(displaced, at: now, in: transaction) else { continue }
            try AuditLog.append(event(displaced), in: transaction)
        }
    }

    /// Publishes the ends of the sessions whose rows were changed, and returns whether the given one is among
    /// them.
    private static func publishEnds(
        of session: Identifier,
        after rows: [Row],
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        var isEnded = false
        for row in rows {
            let ended = try row.identifier(0)
            if ended == session { isEnded = true }
            try transaction.publish(.session(ended))
        }
        return isEnded
    }
}
