package import LatchkeyModel
package import LatchkeyServerKit

/// Methods for storing and changing a single session.
extension SessionRepository {
    /// Stores a new session with the hash of its token.
    ///
    /// If the account now has too many sessions, the oldest ones are revoked
    /// (``SessionSettings/perAccount``).
    ///
    /// The caller must have inserted the identity or locked its row in the same transaction.
    ///
    /// - Parameters:
    ///   - opening: The session with its token, evidence and key thumbprint.
    ///   - transaction: The database transaction in which the user logs in.
    /// - Throws: ``DatabaseError``.
    package static func insert(
        _ opening: NewSession,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let session = opening.session
        try transaction.execute(
            """
            INSERT INTO sessions (token_hash, id, identity_id, authentications, issued_at, authenticated_at, expires_at, \
            ends_at, needs_certificate, device_id, ip_address, user_agent, evidence, key_thumbprint, \
            client_id, parent_id) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
            """,
            .blob(opening.token.hash),
            .identifier(session.id),
            .identifier(session.identityID),
            .text(session.authentications.text),
            .time(session.issuedAt),
            .time(session.authenticatedAt),
            .time(session.expiresAt),
            .time(session.endsAt),
            .bool(session.needsCertificate),
            .identifier(session.deviceID),
            .text(session.ipAddress),
            .text(session.userAgent),
            .text(opening.evidence.text),
            .optional(opening.keyThumbprint),
            .optional(session.clientID),
            .optional(session.parentID?.bytes)
        )
        if let limit = opening.limit {
            try displace(
                olderThan: session,
                toKeep: limit.count,
                isProvisional: session.needsCertificate,
                at: session.issuedAt,
                in: transaction,
                recording: limit.event
            )
        }
    }

    /// Marks the token of a new session as unused, so that it can be replaced if the response is lost.
    package static func markUnused(
        _ session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE sessions SET token_unused = 1 WHERE id = $1",
            .identifier(session)
        )
    }

    /// Replaces the token of a session whose first token hasn't been used yet.
    ///
    /// - Returns: When the session expires, or `nil` if its token has been used or the session has ended.
    package static func replaceUnused(
        with token: SessionToken,
        of session: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Timestamp? {
        try transaction.rows(
            """
            UPDATE sessions SET token_hash = $1 WHERE id = $2 AND token_unused = 1 AND revoked_at IS NULL \
            AND expires_at > $3 AND NOT EXISTS (SELECT 1 FROM replaced_tokens r WHERE r.session_id = $2) \
            RETURNING expires_at
            """,
            .blob(token.hash),
            .identifier(session),
            .time(now)
        ).first?.time(0)
    }

    /// Extends a session after re-authentication and replaces its token.
    ///
    /// The previous token stays valid until one minute after the new token is first used, but the previous
    /// token isn't privileged. The session no longer ends with another one. If it isn't active, this method has
    /// no effect.
    ///
    /// - Parameters:
    ///   - session: The session after the re-authentication; see
    ///     ``Session/authenticatedAgain(by:at:settings:)``.
    ///   - evidence: The evidence to store. The new evidence replaces the previous evidence.
    ///   - token: The new token.
    ///   - transaction: The database transaction that the session is written in.
    /// - Returns: Whether the session was active.
    /// - Throws: ``DatabaseError``.
    package static func renew(
        _ session: Session,
        evidence: SessionEvidence,
        token: SessionToken,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        // We keep replaced tokens for 30 days after they expire, so that logging out with one of them still
        // succeeds.
        try transaction.execute(
            "DELETE FROM replaced_tokens WHERE session_id = $1 AND valid_until < $2",
            .identifier(session.id),
            .time(session.authenticatedAt - .seconds(30 * 86_400))
        )
        try transaction.execute(
            """
            INSERT INTO replaced_tokens (token_hash, session_id, valid_until) \
            SELECT token_hash, id, NULL FROM sessions WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2
            """,
            .identifier(session.id),
            .time(session.authenticatedAt)
        )
        let isRenewed =
            try transaction.execute(
                """
                    UPDATE sessions SET authentications = $1, authenticated_at = $2, expires_at = $3, evidence = $4, \
                    token_hash = $5, token_unused = 1, ends_at = $7, parent_id = NULL \
                    WHERE id = $6 AND revoked_at IS NULL AND expires_at > $2
                """,
                .text(session.authentications.text),
                .time(session.authenticatedAt),
                .time(session.expiresAt),
                .text(evidence.text),
                .blob(token.hash),
                .identifier(session.id),
                .time(session.endsAt)
            ) == 1
        if isRenewed { try endChildren(of: session.id, by: session.expiresAt, in: transaction) }
        return isRenewed
    }

    /// Makes sure that the sessions that end with another one don't last longer, because it now expires earlier.
    private static func endChildren(
        of session: Identifier,
        by end: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            UPDATE sessions SET ends_at = $1, expires_at = CASE WHEN expires_at > $1 THEN $1 ELSE expires_at END \
            WHERE parent_id = $2 AND ends_at > $1
            """,
            .time(end),
            .identifier(session)
        )
    }

    /// Locks a session's row with an update that doesn't change anything, so that it conflicts with a
    /// concurrent revocation.
    ///
    /// Requests that must not take effect after their session has ended call this method, and roll back if it
    /// returns `false`. Lock the identity's row before the session's row. All transactions must lock the two
    /// rows in the same order.
    ///
    /// - Returns: `false` if the session isn't active or belongs to another identity.
    package static func hold(
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

    /// Returns whether a token is a session's current token.
    ///
    /// Returns `false` for a token that was replaced during re-authentication.
    ///
    /// - Throws: ``DatabaseError``.
    package static func has(
        _ token: SessionToken,
        of session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try !transaction.rows(
            "SELECT 1 FROM sessions WHERE token_hash = $1 AND id = $2",
            .blob(token.hash),
            .identifier(session)
        ).isEmpty
    }

    /// Turns a provisional session into a full one after its device has been enrolled.
    ///
    /// If the session is already a full session, it doesn't change.
    ///
    /// The row is always written to, which serializes concurrent calls for the same session. The lifespan
    /// starts at the time when the session was issued.
    ///
    /// - Parameters:
    ///   - session: The session's id.
    ///   - settings: The settings that contain the lifespans of a full session.
    ///   - now: The current time. The session must be active.
    ///   - transaction: The database transaction that stores the certificate.
    /// - Returns: The full session's expiry date, or `nil` if the session isn't active.
    /// - Throws: ``DatabaseError``.
    package static func certify(
        _ session: Identifier,
        settings: SessionSettings,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Timestamp? {
        let rows = try transaction.rows(
            """
            UPDATE sessions SET needs_certificate = 0, \
            ends_at = CASE WHEN needs_certificate = 1 THEN issued_at + $1 ELSE ends_at END, \
            expires_at = CASE WHEN needs_certificate = 1 THEN issued_at + $1 ELSE expires_at END \
            WHERE id = $2 AND revoked_at IS NULL AND expires_at > $3 \
            RETURNING expires_at
            """,
            .integer(settings.lifespan.wholeMicroseconds),
            .identifier(session),
            .time(now)
        )
        guard let end = try rows.first?.time(0) else { return nil }
        let expiry = settings.expiry(endingAt: end, usedAt: now)
        guard expiry < end else { return end }
        try transaction.execute(
            "UPDATE sessions SET expires_at = $1 WHERE id = $2",
            .time(expiry),
            .identifier(session)
        )
        try endChildren(of: session, by: expiry, in: transaction)
        return expiry
    }

    /// Extends an active session that isn't provisional.
    ///
    /// The time of the last authentication doesn't change, so the session doesn't become privileged again. A
    /// session that ends with another one isn't extended.
    ///
    /// - Parameters:
    ///   - session: The session's id.
    ///   - end: The new end of the session's lifespan. If the session already lasts longer, it doesn't
    ///     change.
    ///   - settings: The settings that contain the idle lifespan, which starts again.
    ///   - now: The current time. The session must be active.
    ///   - transaction: The database transaction that the change is written in.
    /// - Returns: Whether the session was extended.
    /// - Throws: ``DatabaseError``.
    package static func extend(
        _ session: Identifier,
        until end: Timestamp,
        settings: SessionSettings,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE sessions SET ends_at = $1, expires_at = $4 WHERE id = $2 AND ends_at < $1 \
            AND expires_at > $3 AND expires_at < $1 AND revoked_at IS NULL AND needs_certificate = 0 \
            AND parent_id IS NULL
            """,
            .time(end),
            .identifier(session),
            .time(now),
            .time(settings.expiry(endingAt: end, usedAt: now))
        ) == 1
    }

    /// Makes an active session last longer because it was used.
    ///
    /// - Returns: `false` if the session has ended or another request has already recorded a use.
    /// - Throws: ``DatabaseError``.
    package static func extend(
        _ session: Identifier,
        afterUseUntil end: Timestamp,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE sessions SET expires_at = $1 WHERE id = $2 AND revoked_at IS NULL AND expires_at > $3 \
            AND expires_at < $1 AND ends_at >= $1
            """,
            .time(end),
            .identifier(session),
            .time(now)
        ) == 1
    }
}
