/// The JSON bodies for `PUT /identity/pki/client/certificates`.
package enum CertificateBody {
    /// A request for a device certificate.
    package struct Request: Sendable, Codable {
        /// The certificate signing request, as PKCS#10 (RFC 2986) in PEM format.
        package var csr: String

        /// Creates a request.
        ///
        /// The server checks that the CSR was signed with the private key for the public key that it
        /// contains.
        package init(csr: String) {
            self.csr = csr
        }
    }

    /// A device certificate and its certificate chain.
    package struct Issued: AnswerBody, Codable {
        /// The X.509 certificate (RFC 5280) in PEM format.
        package var certificate: String
        /// The issuer certificates in PEM format, starting with the direct issuer.
        package var chain: [String]
        /// The serial number in lower-case hexadecimal.
        package var serialNumber: String
        /// When the certificate expires, in RFC 3339 format.
        package var notAfter: String
        /// When the session that the certificate belongs to expires, in RFC 3339 format.
        ///
        /// This property is `nil` if the server doesn't report the expiry date.
        package var sessionExpiresAt: String?

        /// Creates a response with an issued certificate.
        ///
        /// Times must be in RFC 3339 format, and certificates in PEM format.
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
