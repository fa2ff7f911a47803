/// The kind of a message, which determines the template that is used.
///
/// The raw values are the names of Kratos's templates, if Kratos has an equivalent template.
package enum MessageKind: String, Sendable, CaseIterable {
    /// A code for logging in.
    case loginCode = "login_code_valid"
    /// A code for creating an account.
    case registrationCode = "registration_code_valid"
    /// A code for verifying an address.
    case verificationCode = "verification_code_valid"
    /// A code and a link for confirming a sign-up in an app.
    case signUpLink = "sign_up_link"
    /// A code for recovering an account.
    case recoveryCode = "recovery_code_valid"
    /// Tells the recipient that there is no account to recover. Sent instead of a recovery code.
    case recoveryOfUnknown = "recovery_code_invalid"
    /// Tells the recipient that no account uses the address. Sent instead of a verification code.
    case verificationOfUnknown = "verification_code_invalid"
    /// Tells the user that their password was changed.
    case passwordChanged = "password_changed"
    /// Tells the user that their e-mail addresses or phone numbers were changed.
    case addressChanged = "address_changed"
    /// Tells the user that another address of their account was verified by a client that wasn't logged in to
    /// the account.
    case addressVerified = "address_verified"
    /// Tells the user that a login was blocked because it used an unverified address of their account.
    case entryRefused = "login_refused"
    /// Tells the user that their account was recovered, or that the owner of an address reclaimed it.
    case accountRecovered = "account_recovered"
    /// Tells the user that a new device was added to their account.
    case deviceAdded = "device_added"
    /// Tells the user that someone tried to register with an address of their account.
    case registrationAttempted = "registration_attempted"
    /// Tells the user that their account will be erased because they have deleted it.
    case deletionScheduled = "account_deletion_scheduled"
    /// Tells the user that their account won't be deleted, because logging in has cancelled the deletion.
    case deletionCancelled = "account_deletion_cancelled"
    /// Tells the user that a payment method was added to their account.
    case paymentMethodAdded = "payment_method_added"
    /// Tells the user that a purchase was charged.
    case receipt = "purchase_receipt"

    /// Whether messages of this kind contain a one-time code.
    ///
    /// The templates of these messages must contain `{{code}}`. Other templates must not contain this
    /// placeholder.
    package var carriesCode: Bool {
        switch self {
        case .loginCode, .registrationCode, .verificationCode, .signUpLink, .recoveryCode: true
        case .recoveryOfUnknown, .verificationOfUnknown, .passwordChanged, .addressChanged, .addressVerified,
            .entryRefused, .accountRecovered, .deviceAdded, .registrationAttempted, .deletionScheduled,
            .deletionCancelled, .paymentMethodAdded, .receipt:
            false
        }
    }

    /// Returns the message type that the admin API reports for a template.
    ///
    /// Kinds that don't exist in Kratos are reported as `stub`, because strict clients reject unknown types.
    ///
    /// - Parameter template: The template name stored in the outbox.
    /// - Returns: The message type as defined by Kratos.
    package static func publishedType(of template: String) -> String {
        switch MessageKind(rawValue: template) {
        case .loginCode, .registrationCode, .verificationCode, .recoveryCode, .recoveryOfUnknown,
            .verificationOfUnknown:
            template
        case .signUpLink, .passwordChanged, .addressChanged, .addressVerified, .entryRefused,
            .accountRecovered,
            .deviceAdded, .registrationAttempted, .deletionScheduled, .deletionCancelled,
            .paymentMethodAdded, .receipt, nil:
            "stub"
        }
    }
}
