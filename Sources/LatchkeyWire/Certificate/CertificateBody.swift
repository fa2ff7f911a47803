/// The bodies of `PUT /identity/pki/client/certificates` (`contract/vipaso.md`).
package enum CertificateBody {
    /// Asks for a certificate.
    package struct Request: Sendable, Codable {
        /// PKCS#10 (RFC 2986) in PEM.
        package var csr: String

        package init(csr: String) {
            self.csr = csr
        }
    }

    /// The certificate and those above it.
    package struct Issued: Sendable, Codable {
        /// X.509 (RFC 5280) in PEM.
        package var certificate: String
        /// The issuers, nearest first, in PEM.
        package var chain: [String]
        /// Hexadecimal, lower case.
        package var serialNumber: String
        /// RFC 3339.
        package var notAfter: String
        /// When the session of the certificate expires (RFC 3339).
        package var sessionExpiresAt: String?

        package init(
            certificate: String,
            chain: [String],
            serialNumber: String,
            notAfter: String,
            sessionExpiresAt: String? = nil
        ) {
            self.certificate = certificate
            self.chain = chain
            self.serialNumber = serialNumber
            self.notAfter = notAfter
            self.sessionExpiresAt = sessionExpiresAt
        }
    }
}
