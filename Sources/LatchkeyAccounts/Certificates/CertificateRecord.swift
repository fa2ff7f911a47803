package import LatchkeyModel

/// The stored data of a certificate, for renewal and revocation; the certificate itself is not stored.
package struct CertificateRecord: Hashable, Sendable {
    /// The serial number, which operators use to revoke the certificate.
    package let serial: SerialNumber
    /// The session for which the certificate was issued.
    package let session: Identifier
    /// The SHA-256 thumbprint of the certified key.
    package let keyThumbprint: [UInt8]
    /// The time of issue, at which the validity period begins.
    package let issuedAt: Timestamp
    /// The expiry of the certificate.
    package let notAfter: Timestamp
    /// The time of revocation; `nil` if the certificate has not been revoked.
    package var revokedAt: Timestamp?
}
