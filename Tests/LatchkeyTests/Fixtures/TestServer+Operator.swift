import LatchkeyModel
import LatchkeyServerCore
import LatchkeyTestKit
import Testing

extension TestServer {
    convenience init(certificateLifespan: Duration) async throws {
        var settings = ServerSettings()
        settings.certificateLifespan = certificateLifespan
        try await self.init(settings: settings)
    }

    /// The code that came to a phone, as a person types it.
    func code(for phone: String) async throws -> String {
        try await codes.code(for: phone).exposed
    }

    /// Takes back the certificate of the device that logged in last, as an operator does.
    func revokeCertificate(of identity: String) async throws {
        let revocation = try #require(assembly).revocation
        let certificates = try await revocation.certificates(of: try #require(Identifier(identity)))
        #expect(try await revocation.revoke(try #require(certificates.first).serial))
    }

    /// How many certificates were given out to an account, and to how many keys.
    func certificates(of identity: String) async throws -> (count: Int, keys: Int) {
        let revocation = try #require(assembly).revocation
        let certificates = try await revocation.certificates(of: try #require(Identifier(identity)))
        return (certificates.count, Set(certificates.map(\.keyThumbprint)).count)
    }
}
