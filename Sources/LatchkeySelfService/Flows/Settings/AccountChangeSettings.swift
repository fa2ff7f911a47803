package import LatchkeyServerKit

/// Settings for address and password changes.
public struct AccountChangeSettings: Sendable {
    /// Whether a settings change sends verification codes to new addresses.
    ///
    /// The setting has no effect if verification is disabled.
    public var sendsVerification = false

    /// Whether a new address is saved only after the user has verified it, in which case each change can add
    /// only one address.
    public var verifiesFirst = false

    /// Whether changing the password revokes the account's other sessions.
    ///
    /// The session that made the change stays active.
    public var newPasswordEndsSessions = true

    /// Creates settings with their default values.
    public init() {}

    /// The configuration settings for account changes.
    package static let settings: [Setting<AccountChangeSettings>] = [
        Setting(
            "settings.verification",
            member: \.sendsVerification,
            kind: .toggle,
            summary: "Whether a settings change sends verification codes to new addresses."
        ),
        Setting(
            "settings.verified_first",
            member: \.verifiesFirst,
            kind: .toggle,
            summary:
                "Whether a new address must be verified before it replaces the old one. Each change can then add only one address."
        ),
        Setting(
            "settings.password_ends_sessions",
            member: \.newPasswordEndsSessions,
            kind: .toggle,
            summary: "Whether a password change revokes the other sessions of the account."
        ),
    ]
}
