package import LatchkeyServerKit

/// The settings that limit the lifespan and the enrolment of device certificates.
public struct CertificateSettings: Sendable {
    /// The validity period of a device certificate.
    ///
    /// The value must be between 1 second and 3660 days. If the session expires earlier, its certificate
    /// remains valid.
    public var lifespan: Duration = .seconds(90 * 86_400)

    /// The time after login during which a session may enrol a key that was not proven at login.
    ///
    /// Operators cannot change this value, because ``settings`` does not list it.
    package var enrolmentWindow: Duration = .seconds(300)

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for device certificates.
    package static let settings: [Setting<CertificateSettings>] = [
        Setting(
            "certificates.lifespan",
            member: \.lifespan,
            kind: .duration(.seconds(1) ... .seconds(3660 * 86_400)),
            summary: "How long a device certificate is valid."
        )
    ]
}
