package import LatchkeyModel

/// A certificate as it is kept: what is needed to revoke and to renew it, not the certificate itself.
package struct CertificateRecord: Hashable, Sendable {
    package let serial: SerialNumber
    package let session: Identifier
    package let keyThumbprint: [UInt8]
    package let issuedAt: Timestamp
    package let notAfter: Timestamp
    package var revokedAt: Timestamp?
}
