package import LatchkeyServerKit

/// The settings of address verification.
public struct VerificationSettings: Sendable {
    /// Whether users can verify their addresses with a code.
    public var isEnabled = true

    /// Creates the defaults.
    public init() {}

    /// The settings of the part.
    package static let settings: [Setting<VerificationSettings>] = [
        Setting(
            "verification.enabled",
            member: \.isEnabled,
            kind: .toggle,
            summary: "Whether users may verify their addresses with a code."
        )
    ]
}
