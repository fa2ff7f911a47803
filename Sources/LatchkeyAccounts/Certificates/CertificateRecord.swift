package import LatchkeyModel

/// The stored record of a certificate, for renewal and revocation; the certificate itself is not stored.
package struct CertificateRecord: Hashable, Sendable {
    package let serial: SerialNumber
    /// The session that the certificate was issued for.
    package let session: Identifier
    /// The SHA-256 thumbprint of the certified key.
    package let keyThumbprint: [UInt8]
    package let issuedAt: Timestamp
    /// The expiry of the certificate.
    package let notAfter: Timestamp
    /// The time of revocation; `nil` if the certificate was not revoked.
    package var revokedAt: Timestamp?
}
