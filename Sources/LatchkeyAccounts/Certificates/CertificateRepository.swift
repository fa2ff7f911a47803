import LatchkeyModel
import LatchkeyServerKit

/// Stores issued certificates.
///
/// Each certificate is bound to a session.
enum CertificateRepository {
    /// Stores a certificate, unless its session has an unrevoked certificate for a different key.
    ///
    /// The caller must already have written the session's row in the same transaction, which serializes
    /// concurrent calls for the same session.
    ///
    /// A session stays bound to its first key, so a different key is rejected even if the existing
    /// certificate has expired. Earlier certificates for the same key are kept.
    ///
    /// - Returns: Whether the certificate was stored.
    /// - Throws: ``DatabaseError``, with the code `conflict` if a certificate with the same serial number
    ///   exists.
    static func insert(
        _ certificate: CertificateRecord,
        identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            INSERT INTO certificates \
            (serial, session_id, identity_id, key_thumbprint, issued_at, not_after) \
            SELECT $1, $2, $3, $4, $5, $6 WHERE NOT EXISTS (\
            SELECT 1 FROM certificates \
            WHERE session_id = $2 AND key_thumbprint <> $4 AND revoked_at IS NULL)
            """,
            .blob(certificate.serial.bytes),
            .identifier(certificate.session),
            .identifier(identity),
            .blob(certificate.keyThumbprint),
            .time(certificate.issuedAt),
            .time(certificate.notAfter)
        ) == 1
    }

    /// Revokes a certificate, all other certificates of its session, and the session itself.
    ///
    /// As during enrolment, the row of the session is updated before the rows of its certificates. The
    /// revocation dates of certificates that were revoked earlier don't change.
    ///
    /// - Returns: The identity's id, or `nil` if there is no certificate with this serial number.
    static func revoke(
        _ serial: SerialNumber,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Identifier? {
        let rows = try transaction.rows(
            "SELECT session_id, identity_id FROM certificates WHERE serial = $1",
            .blob(serial.bytes)
        )
        guard let row = rows.first else { return nil }
        let session = try row.identifier(0)
        _ = try SessionRepository.revoke(session, at: now, in: transaction)
        try transaction.execute(
            "UPDATE certificates SET revoked_at = $1 WHERE session_id = $2 AND revoked_at IS NULL",
            .time(now),
            .identifier(session)
        )
        return try row.identifier(1)
    }

    /// Revokes all certificates of an identity, but not its sessions.
    ///
    /// The caller must revoke the sessions in the same transaction. Otherwise, a client could use a remaining
    /// session to enrol a new certificate.
    static func revokeAll(
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE certificates SET revoked_at = $1 WHERE identity_id = $2 AND revoked_at IS NULL",
            .time(now),
            .identifier(identity)
        )
    }

    /// Returns whether a session has a certificate that hasn't been revoked.
    ///
    /// The result is also `true` if the certificate has expired, so renewing an expired certificate never
    /// requires a recent login.
    static func exists(
        for session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try !transaction.rows(
            "SELECT 1 FROM certificates WHERE session_id = $1 AND revoked_at IS NULL LIMIT 1",
            .identifier(session)
        ).isEmpty
    }

    /// Returns all certificates of an identity, newest first.
    ///
    /// The list includes revoked and expired certificates.
    ///
    /// The certificates are read outside of a transaction.
    ///
    /// - Throws: ``DatabaseError``.
    static func all(
        of identity: Identifier,
        in database: any Database
    ) async throws(DatabaseError) -> [CertificateRecord] {
        let rows = try await database.rows(
            """
            SELECT serial, session_id, key_thumbprint, issued_at, not_after, revoked_at \
            FROM certificates WHERE identity_id = $1 ORDER BY issued_at DESC, serial
            """,
            .identifier(identity)
        )
        var certificates: [CertificateRecord] = []
        for row in rows {
            certificates.append(
                CertificateRecord(
                    serial: SerialNumber(bytes: try row.blob(0)),
                    session: try row.identifier(1),
                    keyThumbprint: try row.blob(2),
                    issuedAt: try row.time(3),
                    notAfter: try row.time(4),
                    revokedAt: try row.optional(5, as: Row.time)
                )
            )
        }
        return certificates
    }
}
