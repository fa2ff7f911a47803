import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import Testing

extension TestServer {
    convenience init(certificateLifespan: Duration) async throws {
        var settings = TestServer.configuration()
        settings.certificates.lifespan = certificateLifespan
        try await self.init(configuration: settings)
    }

    /// Revokes the certificate of the device that logged in last, as an operator would.
    func revokeCertificate(of identity: String) async throws {
        let revocation = try #require(assembly).accounts.revocation
        let certificates = try await revocation.certificates(of: try #require(Identifier(identity)))
        #expect(try await revocation.revoke(try #require(certificates.first).serial))
    }

    /// Ends every session, as an operator does.
    func endAllSessions() async throws {
        let now = time.now
        _ = try await #require(database).transaction { transaction in
            try transaction.execute(
                "UPDATE sessions SET revoked_at = $1 WHERE revoked_at IS NULL",
                .time(now)
            )
        }
    }

    /// Returns the number of certificates that were issued to an account, and the number of different keys.
    func certificates(of identity: String) async throws -> (count: Int, keys: Int) {
        let revocation = try #require(assembly).accounts.revocation
        let certificates = try await revocation.certificates(of: try #require(Identifier(identity)))
        return (certificates.count, Set(certificates.map(\.keyThumbprint)).count)
    }
}
