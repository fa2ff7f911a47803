package import LatchkeyServerKit

/// The settings that enable notices to account owners.
public struct NoticeSettings: Sendable {
    /// Whether owners are notified of changes to their accounts and of new devices.
    ///
    /// If notices are disabled, the audit log does not record them either.
    public var isEnabled = true

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for notices.
    package static let settings: [Setting<NoticeSettings>] = [
        Setting(
            "notices.enabled",
            member: \.isEnabled,
            kind: .toggle,
            summary: "Whether owners are notified of changes to their accounts and of new devices."
        )
    ]
}
