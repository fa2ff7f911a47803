package import LatchkeyModel

/// The server's response to a certificate signing request.
package struct IssuedCertificate: Hashable, Sendable {
    /// The certificate.
    package let certificate: DeviceCertificate

    /// The expiry of the session that the certificate belongs to.
    ///
    /// Before enrollment, a session may be provisional and expire within minutes; this is its expiry after
    /// enrollment. `nil` if the server does not report it, for example because it has no provisional
    /// sessions.
    package let sessionExpiresAt: Timestamp?

    /// Creates the response from its decoded parts.
    package init(certificate: DeviceCertificate, sessionExpiresAt: Timestamp?) {
        self.certificate = certificate
        self.sessionExpiresAt = sessionExpiresAt
    }
}
