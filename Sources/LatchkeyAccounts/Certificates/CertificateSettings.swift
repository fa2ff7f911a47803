package import LatchkeyServerKit

/// Settings for device certificates.
public struct CertificateSettings: Sendable {
    /// The validity period of a device certificate.
    ///
    /// Must be between 1 second and 3660 days. If the session expires earlier, its certificate remains valid.
    public var lifespan: Duration = .seconds(90 * 86_400)

    /// The time after login during which a session may enrol a device key whose possession the login did not
    /// prove.
    ///
    /// It is not listed in ``settings``, so operators cannot change it.
    package var enrolmentWindow: Duration = .seconds(300)

    /// Creates settings with default values.
    public init() {}

    /// The keys, kinds and summaries of these settings.
    package static let settings: [Setting<CertificateSettings>] = [
        Setting(
            "certificates.lifespan",
            member: \.lifespan,
            kind: .duration(.seconds(1) ... .seconds(3660 * 86_400)),
            summary: "How long a device certificate is valid."
        )
    ]
}
