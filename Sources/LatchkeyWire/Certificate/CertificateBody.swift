/// The JSON bodies of `PUT /identity/pki/client/certificates`.
package enum CertificateBody {
    /// A request for a certificate.
    package struct Request: Sendable, Codable {
        /// The certificate signing request: PKCS#10 (RFC 2986) in PEM.
        package var csr: String

        /// Creates a request; the server verifies the signature of the CSR with the public key in the CSR.
        package init(csr: String) {
            self.csr = csr
        }
    }

    /// An issued certificate with its chain.
    package struct Issued: Sendable, Codable {
        /// The certificate: X.509 (RFC 5280) in PEM.
        package var certificate: String
        /// The certificates of the issuers in PEM, starting with the direct issuer.
        package var chain: [String]
        /// The serial number in hexadecimal, lower case.
        package var serialNumber: String
        /// The end of the validity period in RFC 3339.
        package var notAfter: String
        /// The time at which the certificate's session expires, in RFC 3339.
        ///
        /// `nil` if the server does not report the time.
        package var sessionExpiresAt: String?

        /// Creates the body; times are in RFC 3339, certificates in PEM.
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
