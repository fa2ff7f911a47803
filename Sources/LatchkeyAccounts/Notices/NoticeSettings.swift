package import LatchkeyServerKit

/// The settings for notices to account owners.
public struct NoticeSettings: Sendable {
    /// Whether owners are notified of changes to their accounts and of new devices.
    ///
    /// If notices are disabled, the audit log does not record them either.
    public var isEnabled = true

    /// Creates settings with default values.
    public init() {}

    /// The keys, kinds and summaries of these settings.
    package static let settings: [Setting<NoticeSettings>] = [
        Setting(
            "notices.enabled",
            member: \.isEnabled,
            kind: .toggle,
            summary: "Whether owners are notified of changes to their accounts and of new devices."
        )
    ]
}
