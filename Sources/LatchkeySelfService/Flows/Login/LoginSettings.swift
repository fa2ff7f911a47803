package import LatchkeyServerKit

/// The settings of login.
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
            summary: "Whether login requires a verified address: optional, required or required_in_form."
        )
    ]
}
