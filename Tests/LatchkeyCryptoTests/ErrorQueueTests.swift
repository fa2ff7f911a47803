import COpenSSL
import LatchkeyCrypto
import LatchkeyModel
import Testing

@Suite struct `OpenSSL error queue` {
    /// An error that is left in the queue would be reported as the reason for a later failure on the same
    /// thread.
    private func isEmpty(after body: () throws -> Void) -> Bool {
        ERR_clear_error()
        do { try body() } catch {}
        return ERR_peek_error() == 0
    }

    @Test func `A failed operation leaves the error queue empty`() throws {
        let key = try SigningKey.generate()
        let pem = try CertificateSigningRequest.pem(commonName: "me", key: key)
        let broken = pem.replacing(
            "-----BEGIN CERTIFICATE REQUEST-----\nM",
            with: "-----BEGIN CERTIFICATE REQUEST-----\nN"
        )
        let cipher = try AESGCM(key: [UInt8](repeating: 1, count: 32))

        #expect(isEmpty { _ = try SigningKey(pkcs8: [0x30, 1]) })
        #expect(isEmpty { _ = try VerifyingKey(der: key.publicKey.der.dropLast() + [0]) })
        #expect(isEmpty { _ = key.publicKey.isValid([1, 2, 3], for: []) })
        #expect(isEmpty { _ = key.publicKey.isValid(raw: [UInt8](repeating: 0, count: 64), for: []) })
        #expect(isEmpty { _ = try CertificateSigningRequest(pem: broken).verified() })
        #expect(isEmpty { _ = try CertificateSigningRequest.pem(commonName: "", key: key) })
        #expect(isEmpty { _ = try Certificate(der: [0x30, 0]) })
        #expect(isEmpty { _ = try cipher.open([UInt8](repeating: 0, count: 40)) })
    }

    @Test func `A successful operation leaves the error queue empty`() throws {
        let key = try SigningKey.generate()
        let day = Timestamp(seconds: 86_400)

        #expect(isEmpty { _ = try SigningKey(pkcs8: key.pkcs8()) })
        #expect(isEmpty { _ = try VerifyingKey(der: key.publicKey.der) })
        #expect(isEmpty { _ = try key.publicKey.isValid(raw: key.rawSignature(for: [1]), for: [1]) })
        #expect(
            isEmpty {
                let authority = try CertificateAuthority.make(
                    commonName: "CA",
                    notBefore: day,
                    notAfter: day + .seconds(9)
                )
                let request = try CertificateSigningRequest(
                    pem: CertificateSigningRequest.pem(commonName: "me", key: key)
                )
                let certificate = try authority.issue(
                    request.verified(),
                    identity: Identifier(),
                    device: Identifier(),
                    notBefore: day,
                    notAfter: day + .seconds(1)
                )
                _ = try Certificate(pem: certificate.pem).commonName
            }
        )
    }
}
