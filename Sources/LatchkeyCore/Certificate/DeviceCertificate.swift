package import LatchkeyModel

/// The certificate that binds the device's key to the user's account.
package struct DeviceCertificate: Hashable, Sendable {
    /// The certificate, X.509 in PEM.
    package var pem: String

    /// The certificates of the issuers in PEM, nearest first.
    package var chain: [String]

    /// The serial number in hexadecimal; empty if the server did not send it.
    package var serialNumber: String

    /// The time when this device received the certificate, by its own clock.
    package var certifiedAt: Timestamp

    /// The expiry of the certificate.
    package var notAfter: Timestamp

    /// Creates the value; the PEM texts are not parsed.
    package init(
        pem: String,
        chain: [String],
        serialNumber: String,
        certifiedAt: Timestamp,
        notAfter: Timestamp
    ) {
        self.pem = pem
        self.chain = chain
        self.serialNumber = serialNumber
        self.certifiedAt = certifiedAt
        self.notAfter = notAfter
    }

    /// The time from which to renew the certificate: after two thirds of its lifetime.
    package var renewalDate: Timestamp {
        // Integer arithmetic, because this is evaluated before every request.
        let life = notAfter.microseconds.subtractingReportingOverflow(certifiedAt.microseconds)
        return life.overflow
            ? notAfter : Timestamp(microseconds: notAfter.microseconds - life.partialValue / 3)
    }
}
