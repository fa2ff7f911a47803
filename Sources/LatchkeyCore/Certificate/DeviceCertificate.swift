package import LatchkeyModel

/// The certificate that binds the device's key to the user's account.
package struct DeviceCertificate: Hashable, Sendable {
    /// The X.509 certificate in PEM.
    package var pem: String

    /// The issuer certificates in PEM, starting with the direct issuer.
    package var chain: [String]

    /// The serial number in hexadecimal; empty if the server did not send it.
    package var serialNumber: String

    /// The time at which this device received the certificate, according to its own clock.
    package var certifiedAt: Timestamp

    /// The expiry of the certificate.
    package var notAfter: Timestamp

    /// Creates a certificate; the PEM strings are not parsed.
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

    /// The time at which renewal becomes due: after two thirds of the certificate's lifetime.
    package var renewalDate: Timestamp {
        // Uses integer arithmetic, because this is evaluated before every request.
        let life = notAfter.microseconds.subtractingReportingOverflow(certifiedAt.microseconds)
        return life.overflow
            ? notAfter : Timestamp(microseconds: notAfter.microseconds - life.partialValue / 3)
    }
}
