package import LatchkeyModel

/// Takes certificates back; an operator's work, for a device that was lost.
package struct CertificateRevocation: Sendable {
    private let database: any Database
    private let time: any TimeSource

    package init(database: any Database, time: any TimeSource) {
        self.database = database
        self.time = time
    }

    /// Revokes a certificate, every other one of its session, and the session itself.
    ///
    /// - Returns: Whether there is such a certificate; revoking it again changes nothing.
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

    /// The certificates of an identity, the latest first.
    package func certificates(of identity: Identifier) async throws -> [CertificateRecord] {
        try await CertificateRepository.all(of: identity, in: database)
    }
}
