package import LatchkeyModel

/// The server's response to a certificate signing request.
package struct IssuedCertificate: Hashable, Sendable {
    /// The certificate.
    package let certificate: DeviceCertificate

    /// The expiry of the certificate's session.
    ///
    /// A session without a certificate may expire within minutes; this is its expiry after the enrolment.
    /// `nil` if the server does not report it, as is the case for servers without such provisional sessions.
    package let sessionExpiresAt: Timestamp?

    /// Creates the response from its decoded parts.
    package init(certificate: DeviceCertificate, sessionExpiresAt: Timestamp?) {
        self.certificate = certificate
        self.sessionExpiresAt = sessionExpiresAt
    }
}
