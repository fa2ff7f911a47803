import LatchkeyModel
import LatchkeyServerKit

/// A repository of issued certificates, each of which is bound to a session.
enum CertificateRepository {
    /// Stores a certificate, unless its session has an unrevoked certificate for another key.
    ///
    /// The caller must have written the row of the session in the same transaction, which serializes
    /// concurrent calls for the same session.
    ///
    /// Expired certificates count as well, because a session remains bound to its first key. Earlier
    /// certificates for the same key remain stored.
    ///
    /// - Returns: Whether the certificate was stored.
    /// - Throws: ``DatabaseError``, with the code `conflict` if the serial number is already stored.
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
    /// The row of the session is written before the rows of its certificates, in the same order as at
    /// enrolment. Rows that were already revoked retain their time of revocation.
    ///
    /// - Returns: The id of the identity; `nil` if there is no certificate with this serial number.
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
    /// The caller must revoke the sessions in the same transaction, because a session without a certificate
    /// could enrol again.
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

    /// Returns whether a session has a certificate that was not revoked, even if it has expired.
    ///
    /// An expired certificate counts as well, so a renewal does not require a recent login, even long after
    /// the expiry.
    static func exists(
        for session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try !transaction.rows(
            "SELECT 1 FROM certificates WHERE session_id = $1 AND revoked_at IS NULL LIMIT 1",
            .identifier(session)
        ).isEmpty
    }

    /// Returns all certificates of an identity, including revoked and expired ones, newest first.
    ///
    /// The read is not part of a transaction.
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
