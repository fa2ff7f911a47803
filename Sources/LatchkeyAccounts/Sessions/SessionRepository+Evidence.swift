package import LatchkeyModel
package import LatchkeyServerKit

extension SessionRepository {
    /// Returns the evidence that is stored for a session.
    ///
    /// - Parameters:
    ///   - session: The session's id.
    ///   - transaction: The database transaction to read in.
    /// - Returns: The stored evidence, or empty evidence if the session is unknown.
    /// - Throws: ``DatabaseError``.
    package static func evidence(
        of session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> SessionEvidence {
        let rows = try transaction.rows("SELECT evidence FROM sessions WHERE id = $1", .identifier(session))
        return SessionEvidence(text: try rows.first?.text(0) ?? "")
    }

    /// Returns the time since which the account has had a session's key.
    ///
    /// The key is either certified, or the login of the session has proven it. The second case only counts for
    /// sessions without certificates, so that a revoked certificate isn't replaced by its session.
    ///
    /// - Parameters:
    ///   - key: The thumbprint of the key.
    ///   - session: The session, which must be bound to the key.
    ///   - identity: The account that the session belongs to.
    ///   - transaction: The database transaction to read in.
    /// - Returns: The time at which the first certificate that hasn't been revoked was issued for the key, or
    ///   the time of the login, or `nil` if the session isn't bound to the key.
    /// - Throws: ``DatabaseError``.
    package static func boundSince(
        key: [UInt8],
        of session: Identifier,
        identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Timestamp? {
        try transaction.rows(
            """
            SELECT MIN(since) FROM (\
            SELECT issued_at AS since FROM certificates \
            WHERE identity_id = $1 AND key_thumbprint = $2 AND revoked_at IS NULL AND EXISTS (\
            SELECT 1 FROM certificates WHERE session_id = $3 AND key_thumbprint = $2 AND revoked_at IS NULL) \
            UNION ALL SELECT issued_at FROM sessions WHERE id = $3 AND identity_id = $1 AND key_thumbprint = $2 \
            AND NOT EXISTS (SELECT 1 FROM certificates WHERE session_id = $3)) AS keys
            """,
            .identifier(identity),
            .blob(key),
            .identifier(session)
        ).first?.optional(0, as: Row.time)
    }

    /// Returns the thumbprint of the key in the proof of possession that the session was created with.
    ///
    /// The result is `nil` if there was no proof or the session is unknown.
    ///
    /// - Throws: ``DatabaseError``.
    static func keyThumbprint(
        of session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [UInt8]? {
        try transaction.rows("SELECT key_thumbprint FROM sessions WHERE id = $1", .identifier(session)).first?
            .optional(0, as: Row.blob)
    }
}
