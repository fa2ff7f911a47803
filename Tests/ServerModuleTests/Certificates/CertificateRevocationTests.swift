import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Certificate revocation` {
    private let server: TestServer
    private let client: CertificateClient
    private let revocation: CertificateRevocation

    init() async throws {
        server = try await TestServer()
        client = try CertificateClient(server)
        revocation = try #require(server.assembly).accounts.revocation
    }

    @Test func `Revoking a certificate ends its session`() async throws {
        let opened = try await server.openSession()
        let issued = try await client.enrol(opened).decoded(CertificateBody.Issued.self)
        let serial = try #require(SerialNumber(issued.serialNumber))
        #expect(try await revocation.revoke(serial))
        #expect(try await server.session(opened).revokedAt == server.time.now)
        let refused = try await client.enrol(opened)
        #expect(refused.status == 401)
        #expect(refused.errorID == .sessionInactive)
    }

    @Test func `Revoking a certificate also revokes its later renewals`() async throws {
        let opened = try await server.openSession()
        let first = try await client.enrol(opened).decoded(CertificateBody.Issued.self)
        _ = try await client.enrol(opened)
        #expect(try await revocation.revoke(#require(SerialNumber(first.serialNumber))))
        let records = try await revocation.certificates(of: opened.session.identityID)
        #expect(records.count == 2)
        #expect(records.allSatisfy { $0.revokedAt == server.time.now })
    }

    @Test func `Revoking a certificate doesn't affect other sessions`() async throws {
        let opened = try await server.openSession()
        let other = try await server.openSession()
        let issued = try await client.enrol(opened).decoded(CertificateBody.Issued.self)
        #expect(try await client.enrol(other).status == 200)
        #expect(try await revocation.revoke(#require(SerialNumber(issued.serialNumber))))
        #expect(try await server.session(other).revokedAt == nil)
        let records = try await revocation.certificates(of: other.session.identityID)
        #expect(records.map(\.revokedAt) == [nil])
    }

    @Test func `Revoking a certificate a second time has no effect`() async throws {
        let opened = try await server.openSession()
        let issued = try await client.enrol(opened).decoded(CertificateBody.Issued.self)
        let serial = try #require(SerialNumber(issued.serialNumber))
        let revokedAt = server.time.now
        #expect(try await revocation.revoke(serial))
        server.time.advance(by: .seconds(60))
        #expect(try await revocation.revoke(serial))
        #expect(try await server.session(opened).revokedAt == revokedAt)
    }

    @Test func `Certificates from other issuers are ignored`() async throws {
        #expect(try await revocation.revoke(SerialNumber(bytes: [1, 2, 3])) == false)
    }
}
