package import LatchkeyServerKit

/// The settings of notices to account owners.
public struct NoticeSettings: Sendable {
    /// Whether owners are notified of changes to their accounts and of new devices.
    ///
    /// Notices that are disabled are not recorded in the audit log either.
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
