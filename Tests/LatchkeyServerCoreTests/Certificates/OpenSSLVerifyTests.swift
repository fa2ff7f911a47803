import Foundation
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite struct `Certificates seen by openssl` {
    @Test func `verify against the chain that came with them`() async throws {
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

    /// Asks `openssl verify`; waits without holding a thread.
    private func verifies(_ certificate: String, by chain: [String], at time: Timestamp) async throws -> Bool
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(certificate.utf8).write(to: folder.appending(path: "leaf.pem"))
        try Data(chain.joined().utf8).write(to: folder.appending(path: "chain.pem"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "verify", "-x509_strict", "-purpose", "sslclient", "-attime", "\(time.seconds)",
            "-CAfile", "chain.pem", "leaf.pem",
        ]
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return status == 0
    }
}
