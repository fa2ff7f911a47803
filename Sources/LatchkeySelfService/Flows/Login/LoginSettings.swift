package import LatchkeyServerKit

/// Settings that determine which users may log in.
public struct LoginSettings: Sendable {
    /// Whether users need a verified address to log in with a password.
    ///
    /// Logins with a code aren't affected, because the code verifies the address.
    public var verifiedAddress = VerifiedAddressRule.optional

    /// Creates settings with their default values.
    public init() {}

    /// The configuration settings for login.
    package static let settings: [Setting<LoginSettings>] = [
        Setting(
            "login.verified_address",
            member: \.verifiedAddress,
            kind: .choice,
            summary:
                "Whether a login with a password requires a verified address: required rejects the login with status 403 and sends verification codes, required_in_form rejects it with an error in the form."
        )
    ]
}
