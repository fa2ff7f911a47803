import LatchkeyCrypto
import LatchkeyModel

extension FuzzTarget {
    /// Fuzzes the parser for certificate signing requests.
    static let signingRequests = FuzzTarget(
        name: "signing-requests",
        summary:
            "Certificate signing requests (PKCS#10) in DER and PEM, and the certificates issued for them.",
        words: ["-----BEGIN CERTIFICATE REQUEST-----\n", "-----END CERTIFICATE REQUEST-----\n", "\r\n", "="]
    ) { bytes in
        let input = FuzzInput(bytes)
        let content = Array(bytes.dropFirst())
        let verified: CertificateSigningRequest.Verified
        do throws(CryptoError) {
            let request =
                input.choose(from: [true, false])
                ? try CertificateSigningRequest(der: content)
                : try CertificateSigningRequest(pem: String(decoding: content, as: UTF8.self))
            verified = try request.verified()
        } catch {
            return try expect(!error.message.isEmpty, "a rejection has a reason")
        }
        try certify(verified)
    }

    private static let authority = Result {
        try CertificateAuthority.make(
            commonName: "Fuzzing",
            notBefore: Timestamp(seconds: 1_700_000_000),
            notAfter: Timestamp(seconds: 2_000_000_000)
        )
    }

    /// Checks that the certificate for a verified request contains its key, and that the rest of the request
    /// is ignored.
    private static func certify(_ request: CertificateSigningRequest.Verified) throws {
        let key = request.publicKey
        try expect(key.der.count == 91, "a key is a point of P-256")
        let id = Identifier(high: 1, low: 2)
        let certificate = try authority.get().issue(
            request,
            identity: id,
            device: id,
            notBefore: Timestamp(seconds: 1_800_000_000),
            notAfter: Timestamp(seconds: 1_900_000_000)
        )
        let read = try Certificate(pem: certificate.pem)
        try expect(read.publicKey.der == key.der, "the certificate is for the key that signed the request")
        try expect(read.commonName == id.description, "the common name is the one that the issuer chose")
    }
}
