package import LatchkeyServerKit

/// Settings for address verification.
public struct VerificationSettings: Sendable {
    /// Whether users can verify their addresses with a code.
    ///
    /// If verification is disabled, requests to start a verification flow or submit to one fail with status
    /// 400, and registrations and logins don't start any verifications.
    public var isEnabled = true

    /// Creates settings with their default values.
    public init() {}

    /// The configuration settings for verification.
    package static let settings: [Setting<VerificationSettings>] = [
        Setting(
            "verification.enabled",
            member: \.isEnabled,
            kind: .toggle,
            summary: "Whether users may verify their addresses with a code."
        )
    ]
}
