package import LatchkeyModel

/// A certificate that binds the device's key to the user's account.
package struct DeviceCertificate: Hashable, Sendable {
    /// The X.509 certificate in PEM format.
    package var pem: String

    /// The issuer certificates in PEM format, starting with the one that signed this certificate.
    package var chain: [String]

    /// The serial number in hexadecimal, or an empty string if the server didn't send it.
    package var serialNumber: String

    /// The time at which the certificate was received, according to the device's clock.
    package var certifiedAt: Timestamp

    /// The certificate's expiry date.
    package var notAfter: Timestamp

    /// Creates a certificate.
    ///
    /// The PEM strings are not parsed.
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

    /// The time at which the certificate should be renewed, which is after two thirds of its lifetime.
    package var renewalDate: Timestamp {
        // We use integer arithmetic because this is evaluated before every request.
        let life = notAfter.microseconds.subtractingReportingOverflow(certifiedAt.microseconds)
        return life.overflow
            ? notAfter : Timestamp(microseconds: notAfter.microseconds - max(0, life.partialValue) / 3)
    }

    /// Returns whether the certificate should be renewed.
    ///
    /// A certificate from the future was received while the device's clock was ahead, so two thirds of its
    /// lifetime are unknown.
    package func isRenewalDue(at now: Timestamp) -> Bool {
        now >= renewalDate || certifiedAt > now
    }
}
