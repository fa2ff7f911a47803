package import LatchkeyServerKit

/// The settings of address verification, which operators can disable.
public struct VerificationSettings: Sendable {
    /// Whether users can verify their addresses with a code.
    ///
    /// If verification is disabled, the routes that begin a flow or accept submissions respond with 400, and
    /// registrations and logins begin no verifications.
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
