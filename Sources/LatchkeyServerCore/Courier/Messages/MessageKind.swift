/// What a message is about.
package enum MessageKind: String, Sendable, CaseIterable {
    /// A code to log in with.
    case loginCode = "login_code_valid"
    /// A code to open an account with.
    case registrationCode = "registration_code_valid"
    /// A code that shows that an address is one's own.
    case verificationCode = "verification_code_valid"
    /// A code to get back into an account with.
    case recoveryCode = "recovery_code_valid"
    /// To an address that no account has: there is nothing to get back into.
    case recoveryOfUnknown = "recovery_code_invalid"
    /// To an address that no account has: there is nothing to verify.
    case verificationOfUnknown = "verification_code_invalid"
    /// The account has a new password.
    case passwordChanged = "password_changed"
    /// The e-mail addresses or phone numbers of the account have changed.
    case addressChanged = "address_changed"
    /// Another address of the account was verified, by someone who is not logged in to it.
    case addressVerified = "address_verified"
    /// A login with an address of the account that is not verified was refused.
    case entryRefused = "login_refused"
    /// Someone got back into the account by a recovery code.
    case accountRecovered = "account_recovered"
    /// A new device was registered for the account.
    case deviceAdded = "device_added"
    /// To the owner: somebody has tried to open an account with the address of this one.
    case registrationAttempted = "registration_attempted"

    /// Whether a code belongs into the message.
    package var carriesCode: Bool {
        switch self {
        case .loginCode, .registrationCode, .verificationCode, .recoveryCode: true
        case .recoveryOfUnknown, .verificationOfUnknown, .passwordChanged, .addressChanged, .addressVerified,
            .entryRefused, .accountRecovered, .deviceAdded, .registrationAttempted:
            false
        }
    }

    /// The name by which strict clients of Kratos's administration API know a message; the rest are `stub` to them.
    ///
    /// - Parameter template: What a row of the outbox says that its message is about.
    /// - Returns: The name.
    package static func publishedType(of template: String) -> String {
        switch MessageKind(rawValue: template) {
        case .loginCode, .registrationCode, .verificationCode, .recoveryCode, .recoveryOfUnknown,
            .verificationOfUnknown:
            template
        // Rows of older versions said so.
        case nil where template == "verification_code":
            MessageKind.verificationCode.rawValue
        case .passwordChanged, .addressChanged, .addressVerified, .entryRefused, .accountRecovered,
            .deviceAdded,
            .registrationAttempted, nil:
            "stub"
        }
    }
}
