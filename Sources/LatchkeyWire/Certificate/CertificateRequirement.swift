/// The server's statement in a login response whether the session can be used without a device certificate.
///
/// A response without the header field makes no statement, so that the exchange with clients that always
/// enrol is unchanged.
package enum CertificateRequirement: String, Sendable {
    /// The name of the response header field.
    package static let header = "Latchkey-Device-Certificate"

    /// The session is a full session, which the device can bind to a key later.
    case optional
}
