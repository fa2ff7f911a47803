package import LatchkeyModel

/// The certificate that ties the device's key to the person's account.
package struct DeviceCertificate: Hashable, Sendable {
    /// X.509 in PEM.
    package var pem: String

    /// The issuers, nearest first, in PEM.
    package var chain: [String]

    /// Hexadecimal.
    package var serialNumber: String

    /// When this device received it, by its own clock.
    package var certifiedAt: Timestamp

    /// When it ceases to be valid.
    package var notAfter: Timestamp

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

    /// When to renew it: after two thirds of its life.
    package var renewalDate: Timestamp {
        // In whole numbers: it is asked before every request.
        let life = notAfter.microseconds.subtractingReportingOverflow(certifiedAt.microseconds)
        return life.overflow
            ? notAfter : Timestamp(microseconds: notAfter.microseconds - life.partialValue / 3)
    }
}
