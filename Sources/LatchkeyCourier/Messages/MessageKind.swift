/// The kind of a message, which selects its template.
///
/// Raw values are Kratos's template names where they exist.
package enum MessageKind: String, Sendable, CaseIterable {
    /// A code with which a user logs in.
    case loginCode = "login_code_valid"
    /// A code with which a user registers.
    case registrationCode = "registration_code_valid"
    /// A code with which a user verifies an address.
    case verificationCode = "verification_code_valid"
    /// A code with which a user recovers an account.
    case recoveryCode = "recovery_code_valid"
    /// A notice that is sent instead of a recovery code to an address without an account.
    case recoveryOfUnknown = "recovery_code_invalid"
    /// A notice that is sent instead of a verification code to an address without an account.
    case verificationOfUnknown = "verification_code_invalid"
    /// A notice that the password was changed.
    case passwordChanged = "password_changed"
    /// A notice that the e-mail addresses or phone numbers of the account were changed.
    case addressChanged = "address_changed"
    /// A notice that another address of the account was verified in a request without a session of that
    /// account.
    case addressVerified = "address_verified"
    /// A notice that a login was rejected because it used an unverified address of the account.
    case entryRefused = "login_refused"
    /// A notice that the account was recovered, or reclaimed by the owner of an address.
    case accountRecovered = "account_recovered"
    /// A notice that a new device was registered for the account.
    case deviceAdded = "device_added"
    /// A notice to an account's owner that someone tried to register with an address of the account.
    case registrationAttempted = "registration_attempted"
    /// A notice that the account will be erased because its owner has deleted it.
    case deletionScheduled = "account_deletion_scheduled"
    /// A notice that a login has cancelled the deletion of the account.
    case deletionCancelled = "account_deletion_cancelled"

    /// Whether messages of the kind contain a one-time code.
    ///
    /// The templates of these kinds must contain `{{code}}`, and those of other kinds must not.
    package var carriesCode: Bool {
        switch self {
        case .loginCode, .registrationCode, .verificationCode, .recoveryCode: true
        case .recoveryOfUnknown, .verificationOfUnknown, .passwordChanged, .addressChanged, .addressVerified,
            .entryRefused, .accountRecovered, .deviceAdded, .registrationAttempted, .deletionScheduled,
            .deletionCancelled:
            false
        }
    }

    /// Returns the message type that Kratos's admin API reports for a template.
    ///
    /// Kinds that do not exist in Kratos are reported as `stub`, because strict clients reject unknown types.
    ///
    /// - Parameter template: The template name from a row of the outbox.
    /// - Returns: The message type.
    package static func publishedType(of template: String) -> String {
        switch MessageKind(rawValue: template) {
        case .loginCode, .registrationCode, .verificationCode, .recoveryCode, .recoveryOfUnknown,
            .verificationOfUnknown:
            template
        // Older versions of the server stored this name.
        case nil where template == "verification_code":
            MessageKind.verificationCode.rawValue
        case .passwordChanged, .addressChanged, .addressVerified, .entryRefused, .accountRecovered,
            .deviceAdded, .registrationAttempted, .deletionScheduled, .deletionCancelled, nil:
            "stub"
        }
    }
}
