package import LatchkeyModel

/// The response to a certificate signing request.
package struct IssuedCertificate: Hashable, Sendable {
    /// The certificate that the server issued.
    package let certificate: DeviceCertificate

    /// The expiry date of the session that the certificate is bound to, or `nil` if the server didn't report
    /// it.
    ///
    /// Until a certificate has been enrolled, a session may be provisional and expire within minutes. This is
    /// the expiry date that applies once the certificate has been issued. Servers without provisional
    /// sessions don't report this date.
    package let sessionExpiresAt: Timestamp?

    /// Creates a response from its decoded values.
    package init(certificate: DeviceCertificate, sessionExpiresAt: Timestamp?) {
        self.certificate = certificate
        self.sessionExpiresAt = sessionExpiresAt
    }
}
