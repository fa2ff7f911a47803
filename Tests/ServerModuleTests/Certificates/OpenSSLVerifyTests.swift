import Foundation
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import Testing

@Suite struct `Issued certificates` {
    @Test func `OpenSSL verifies certificates against their chain`() async throws {
        let server = try await TestServer()
        let client = try CertificateClient(server)
        let issued = try await client.enrol(server.openSession()).decoded(CertificateBody.Issued.self)
        let other = try CertificateAuthority.make(
            commonName: "Another authority",
            notBefore: server.time.now,
            notAfter: server.time.now + .seconds(1_000_000)
        )
        let time = server.time.now
        #expect(try await verifies(issued.certificate, by: issued.chain, at: time + .seconds(10)))
        #expect(try await !verifies(issued.certificate, by: [other.certificate.pem], at: time + .seconds(10)))
        #expect(
            try await !verifies(issued.certificate, by: issued.chain, at: time + .seconds(91 * 86_400))
        )
    }

    /// Returns whether `openssl verify` accepts the certificate.
    private func verifies(_ certificate: String, by chain: [String], at time: Timestamp) async throws -> Bool
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(certificate.utf8).write(to: folder.appending(path: "leaf.pem"))
        try Data(chain.joined().utf8).write(to: folder.appending(path: "chain.pem"))
        let command = [
            "openssl", "verify", "-x509_strict", "-purpose", "sslclient", "-attime", "\(time.seconds)",
            "-CAfile", "chain.pem", "leaf.pem",
        ]
        return try await ChildProcess.run(command, in: folder.path).code == 0
    }
}
