package import LatchkeyServerKit

/// The settings for accounts that their owners delete.
public struct AccountSettings: Sendable {
    /// The time from a user's request to delete the account until the account is erased.
    ///
    /// Must be between 1 hour and 365 days. Until then, the account cannot be used, and a login cancels the
    /// deletion.
    public var deletionDelay: Duration = .seconds(7 * 86_400)

    /// Creates settings with default values.
    public init() {}

    /// The keys, kinds and summaries of these settings.
    package static let settings: [Setting<AccountSettings>] = [
        Setting(
            "accounts.deletion_delay",
            member: \.deletionDelay,
            kind: .duration(.seconds(3600) ... .seconds(365 * 86_400)),
            summary:
                "How long after its owner has deleted it an account is erased; until then, a login cancels the deletion."
        )
    ]
}
