package import LatchkeyServerKit

/// Settings for deleting accounts.
public struct AccountSettings: Sendable {
    /// How long the server waits before it erases an account that its user has deleted.
    ///
    /// The value must be between 1 hour and 365 days. During this time, the account can't be used and logging
    /// in cancels the deletion.
    public var deletionDelay: Duration = .seconds(7 * 86_400)

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for deleting accounts.
    package static let settings: [Setting<AccountSettings>] = [
        Setting(
            "accounts.deletion_delay",
            member: \.deletionDelay,
            kind: .duration(.seconds(3600) ... .seconds(365 * 86_400)),
            summary:
                "How long to wait before erasing a deleted account; until then, a login cancels the deletion."
        )
    ]
}
