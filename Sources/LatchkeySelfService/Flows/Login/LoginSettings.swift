package import LatchkeyServerKit

/// The settings that decide which users may log in.
public struct LoginSettings: Sendable {
    /// The rule for logins by users without a verified address.
    ///
    /// A login by code is not affected, because its code verifies the address.
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
