import LatchkeyCrypto
import LatchkeyModel
import Testing

@Suite struct `Certificate bundle` {
    private func pem() throws -> String {
        let authority = try CertificateAuthority.make(
            commonName: "a",
            notBefore: Timestamp(seconds: 1_795_248_680),
            notAfter: Timestamp(seconds: 1_795_348_680)
        )
        return authority.certificate.pem
    }

    @Test func `All certificates are counted, and text between them is ignored`() throws {
        let text = "# Roots\n\(try pem())\nAnother one:\n\(try pem())\n"

        #expect(try CertificateBundle.count(in: Array(text.utf8)) == 2)
        // Comments in other encodings don't matter.
        #expect(try CertificateBundle.count(in: [0xE4, 0x0A] + Array(text.utf8)) == 2)
    }

    @Test(arguments: ["", "text", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
    func `A file without certificates is rejected`(text: String) {
        let error = #expect(throws: CryptoError.self) { try CertificateBundle.count(in: Array(text.utf8)) }
        #expect(error?.code == .malformed)
    }

    @Test func `A file with a damaged certificate is rejected`() throws {
        let good = try pem()
        let damaged = [
            good.replacing("\n-----END", with: "!\n-----END"), String(good.dropLast(40)),
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ]
        for text in damaged {
            #expect(throws: CryptoError.self) { try CertificateBundle.count(in: Array((good + text).utf8)) }
        }
    }
}
