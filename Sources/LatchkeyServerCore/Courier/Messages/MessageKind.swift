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
    /// To the old address: the account has another one.
    case addressChanged = "address_changed"
    /// To the owner: somebody has tried to open an account with the address of this one.
    case registrationAttempted = "registration_attempted"

    /// Whether a code belongs into the message.
    package var carriesCode: Bool {
        switch self {
        case .loginCode, .registrationCode, .verificationCode, .recoveryCode: true
        case .recoveryOfUnknown, .verificationOfUnknown, .passwordChanged, .addressChanged,
            .registrationAttempted:
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
        case .passwordChanged, .addressChanged, .registrationAttempted, nil:
            "stub"
        }
    }
}
