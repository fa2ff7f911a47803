package import LatchkeyServerKit

/// Settings for account recovery.
public struct RecoverySettings: Sendable {
    /// Whether users can recover their account with a code.
    ///
    /// If recovery is disabled, requests to start a recovery flow or submit to one fail with status 400.
    public var isEnabled = true

    /// The URL of the app's page on which users enter recovery codes.
    ///
    /// `recovery_link` contains this URL.
    ///
    /// If this is `nil`, the link points to the flow itself.
    public var page: String?

    /// Creates settings with their default values.
    public init() {}

    /// The configuration settings for recovery.
    package static let settings: [Setting<RecoverySettings>] = [
        Setting(
            "recovery.enabled",
            member: \.isEnabled,
            kind: .toggle,
            summary: "Whether users may recover their account with a code."
        ),
        Setting(
            "flows.recovery_ui",
            member: \.page,
            kind: .optional(.text),
            summary:
                "The page of your app where users enter recovery codes, such as https://app.example.com/recovery. Links from the admin API point to it with ?flow=…."
        ),
    ]
}
