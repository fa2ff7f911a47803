package import LatchkeyServerKit

/// The settings of device certificates.
public struct CertificateSettings: Sendable {
    /// The validity period of a device certificate.
    ///
    /// From 1 second to 3660 days. A certificate is not revoked or shortened if its session expires earlier.
    public var lifespan: Duration = .seconds(90 * 86_400)

    /// The time after a login in which its session may enrol a device key that the login did not prove.
    ///
    /// It is not among ``settings``, so that operators cannot change it.
    package var enrolmentWindow: Duration = .seconds(300)

    /// Creates the defaults.
    public init() {}

    /// The settings of the part.
    package static let settings: [Setting<CertificateSettings>] = [
        Setting(
            "certificates.lifespan",
            member: \.lifespan,
            kind: .duration(.seconds(1) ... .seconds(3660 * 86_400)),
            summary: "How long a device certificate is valid."
        )
    ]
}
