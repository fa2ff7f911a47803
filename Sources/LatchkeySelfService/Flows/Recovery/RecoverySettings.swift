package import LatchkeyServerKit

/// The settings that enable account recovery and link to its page.
public struct RecoverySettings: Sendable {
    /// Whether users can recover their account with a code.
    ///
    /// If recovery is disabled, the routes that begin a flow or accept submissions respond with 400.
    public var isEnabled = true

    /// The app's page for entering a recovery code, to which `recovery_link` points.
    ///
    /// If the page is `nil`, the link points to the flow itself.
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
