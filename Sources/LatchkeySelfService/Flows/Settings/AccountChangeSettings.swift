package import LatchkeyServerKit

/// Settings for address and password changes.
public struct AccountChangeSettings: Sendable {
    /// Whether a settings change sends verification codes to new addresses.
    ///
    /// The setting has no effect if verification is disabled.
    public var sendsVerification = false

    /// Which new addresses are saved only after the user has verified them.
    ///
    /// Each change can add only one of these addresses. If verification is disabled, new addresses are saved
    /// immediately.
    public var verifiedFirst = VerifiedFirstRule.nonIdentifiers

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
            member: \.verifiedFirst,
            kind: .choice,
            summary:
                "Which new addresses must be verified before they replace the old ones: never, non_identifiers (addresses that users don't log in with) or always. Each change can add only one of them."
        ),
        Setting(
            "settings.password_ends_sessions",
            member: \.newPasswordEndsSessions,
            kind: .toggle,
            summary: "Whether a password change revokes the other sessions of the account."
        ),
    ]
}
