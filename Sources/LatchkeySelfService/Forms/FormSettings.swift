package import LatchkeyAccounts
package import LatchkeyCourier
import LatchkeyWire

/// The settings that affect the forms of flows and how submissions are interpreted.
///
/// The settings apply to all identity schemas. A schema can restrict the methods further (``MethodForms``).
package struct FormSettings: Hashable, Sendable {
    /// Whether users can log in and register with a password.
    package var isPasswordEnabled: Bool

    /// Whether users can log in and register with a one-time code.
    package var isCodeEnabled: Bool

    /// Whether registration uses one step or two.
    package var registrationStyle: RegistrationStyle

    /// The maximum length of a password, in bytes.
    package var maximumPasswordLength: Int

    /// Whether users can enter e-mail addresses that require SMTPUTF8.
    package var acceptsInternationalMailboxes: Bool

    /// Whether no account can have an identifier that is neither a phone number nor an e-mail address.
    ///
    /// If so, a malformed phone number is rejected before a login is counted as an attempt.
    package var identifiersAreAddresses = false

    /// Combines the settings from several groups.
    ///
    /// If a group is omitted, its default values are used.
    package init(
        passwords: PasswordSettings = PasswordSettings(),
        codes: CodeSettings = CodeSettings(),
        registration: RegistrationSettings = RegistrationSettings(),
        mail: MailSettings = MailSettings()
    ) {
        isPasswordEnabled = passwords.isLoginEnabled
        isCodeEnabled = codes.isLoginEnabled
        registrationStyle = registration.style
        maximumPasswordLength = passwords.maximumLength
        acceptsInternationalMailboxes = mail.smtpUTF8
    }

    /// Returns the e-mail addresses to accept from a user.
    ///
    /// - Parameter current: The values of the user's account, which stay valid. The keys are field names.
    /// - Returns: The rule for ``TraitValidator``.
    func mailboxes(keeping current: [String: JSONValue] = [:]) -> MailboxRule {
        acceptsInternationalMailboxes ? .any : .sendable(keeping: current)
    }
}
