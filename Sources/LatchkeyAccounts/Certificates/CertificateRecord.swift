package import LatchkeyModel

/// The stored details of a certificate, used for renewal and revocation.
///
/// We don't store the certificate itself.
package struct CertificateRecord: Hashable, Sendable {
    /// The serial number, which operators use to revoke the certificate.
    package let serial: SerialNumber
    /// The session that the certificate was issued for.
    package let session: Identifier
    /// The SHA-256 thumbprint of the certificate's public key.
    package let keyThumbprint: [UInt8]
    /// When the certificate was issued.
    ///
    /// The validity period starts at this time.
    package let issuedAt: Timestamp
    /// When the certificate expires.
    package let notAfter: Timestamp
    /// When the certificate was revoked, or `nil` if it wasn't.
    package var revokedAt: Timestamp?
}
