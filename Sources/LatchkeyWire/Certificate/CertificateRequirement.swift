/// Tells the client, in the response to a login, whether it can use the session without a device certificate.
///
/// If the header is missing, clients request a certificate as usual. This way, the exchange stays the same
/// for clients that always enroll their device.
package enum CertificateRequirement: String, Sendable {
    /// The name of the response header.
    package static let header = "Latchkey-Device-Certificate"

    /// The session can be used right away. The device can bind the session to a key later.
    case optional
}
