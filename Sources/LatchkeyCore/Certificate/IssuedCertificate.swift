package import LatchkeyModel

/// The server's answer to a certificate signing request.
package struct IssuedCertificate: Hashable, Sendable {
    /// The certificate.
    package let certificate: DeviceCertificate

    /// When the session of the certificate expires.
    ///
    /// A session without a certificate may expire within minutes; this is the expiry after the enrolment. `nil` if the
    /// server does not report it, as servers without such provisional sessions do.
    package let sessionExpiresAt: Timestamp?

    package init(certificate: DeviceCertificate, sessionExpiresAt: Timestamp?) {
        self.certificate = certificate
        self.sessionExpiresAt = sessionExpiresAt
    }
}
