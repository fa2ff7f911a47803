package import LatchkeyServerKit

/// The settings that apply when users change their addresses or passwords.
public struct AccountChangeSettings: Sendable {
    /// Whether a settings flow sends verification codes to new addresses.
    ///
    /// This setting has no effect if verification is disabled.
    public var sendsVerification = false

    /// Whether a new address is stored only after the user has verified it; each change can then add only one
    /// address.
    public var verifiesFirst = false

    /// Whether a new password revokes the other sessions of the account.
    ///
    /// The session that made the change remains active.
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
