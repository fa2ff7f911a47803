package import LatchkeyModel
package import LatchkeyServerKit

/// Lets operators list and revoke certificates, for example when a user has lost a device.
package struct CertificateRevocation: Sendable {
    private let database: any Database
    private let time: any TimeSource

    /// Creates an object that performs each revocation in its own transaction.
    package init(database: any Database, time: any TimeSource) {
        self.database = database
        self.time = time
    }

    /// Revokes a certificate, all other certificates of its session, and the session itself.
    ///
    /// Every call is recorded in the audit log. If the certificate has already been revoked, the call doesn't
    /// change anything else.
    ///
    /// Once the transaction is committed, all nodes reject the session because they read its row for every
    /// request.
    ///
    /// - Returns: `false` if there is no certificate with this serial number.
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

    /// Returns all certificates of an identity, newest first.
    ///
    /// The list includes revoked and expired certificates.
    ///
    /// - Throws: ``DatabaseError``.
    package func certificates(of identity: Identifier) async throws -> [CertificateRecord] {
        try await CertificateRepository.all(of: identity, in: database)
    }
}
