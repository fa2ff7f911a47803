package import LatchkeyServerKit

/// The settings of notices to account owners.
public struct NoticeSettings: Sendable {
    /// Whether owners are notified of changes to their accounts and of new devices.
    public var isEnabled = true

    /// Creates the defaults.
    public init() {}

    /// The settings of the part.
    package static let settings: [Setting<NoticeSettings>] = [
        Setting(
            "notices.enabled",
            member: \.isEnabled,
            kind: .toggle,
            summary: "Whether owners are notified of changes to their accounts and of new devices."
        )
    ]
}
