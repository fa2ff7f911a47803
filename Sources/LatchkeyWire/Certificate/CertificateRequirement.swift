/// Tells the client, in the response to a login, whether it can use the session without a device certificate.
///
/// If the header is missing, clients request a certificate as usual, so clients that always enroll their
/// device can ignore the header.
package enum CertificateRequirement: String, Sendable {
    /// The name of the response header.
    package static let header = "Latchkey-Device-Certificate"

    /// The session can be used right away. The device can bind the session to a key later.
    case optional
}
