package import LatchkeyServerKit

/// Settings for the notices that we send to account owners.
public struct NoticeSettings: Sendable {
    /// Whether users are notified of new devices and of changes to their accounts.
    ///
    /// If notices are disabled, the server doesn't record any notices in the audit log.
    public var isEnabled = true

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for notices.
    package static let settings: [Setting<NoticeSettings>] = [
        Setting(
            "notices.enabled",
            member: \.isEnabled,
            kind: .toggle,
            summary: "Whether users are notified of new devices and of changes to their accounts."
        )
    ]
}
