package import LatchkeyServerKit

/// Settings for issuing device certificates.
public struct CertificateSettings: Sendable {
    /// How long a device certificate is valid.
    ///
    /// The value must be between 1 second and 3660 days. A certificate can outlive its session.
    public var lifespan: Duration = .seconds(90 * 86_400)

    /// How long after a login the session can enrol a key that wasn't proven during the login.
    ///
    /// Operators can't change this value because it isn't listed in ``settings``.
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
