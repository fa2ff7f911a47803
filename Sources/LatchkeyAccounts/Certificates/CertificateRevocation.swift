package import LatchkeyModel
package import LatchkeyServerKit

/// Revokes certificates on behalf of an operator, for example for a lost device.
package struct CertificateRevocation: Sendable {
    private let database: any Database
    private let time: any TimeSource

    /// Creates the service; each call uses its own transaction.
    package init(database: any Database, time: any TimeSource) {
        self.database = database
        self.time = time
    }

    /// Revokes a certificate, all other certificates of its session, and the session itself.
    ///
    /// Each call is recorded in the audit log; revoking a certificate a second time has no other effect.
    ///
    /// After the commit, all nodes reject the session, because its row is read for each request.
    ///
    /// - Returns: Whether there is a certificate with this serial number.
    /// - Throws: ``DatabaseError``.
    package func revoke(_ serial: SerialNumber) async throws -> Bool {
        let now = time.now
        return try await database.transaction { transaction in
            guard let owner = try CertificateRepository.revoke(serial, at: now, in: transaction) else {
                return false
            }
            let event = AuditEvent(
                .certificateRevoked,
                of: owner,
                by: .operator,
                about: serial.description,
                at: now,
                random: SystemRandom()
            )
            try AuditLog.append(event, in: transaction)
            return true
        }
    }

    /// Returns all certificates of an identity, including revoked and expired ones, newest first.
    ///
    /// - Throws: ``DatabaseError``.
    package func certificates(of identity: Identifier) async throws -> [CertificateRecord] {
        try await CertificateRepository.all(of: identity, in: database)
    }
}
