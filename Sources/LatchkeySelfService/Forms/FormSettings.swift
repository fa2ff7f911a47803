package import LatchkeyAccounts

/// The settings that determine the forms of flows and the interpretation of their submissions.
///
/// The settings apply to all identity schemas. A schema can restrict the methods further (``FlowMethods``).
package struct FormSettings: Hashable, Sendable {
    /// Whether users may log in and register with a password.
    package var isPasswordEnabled: Bool

    /// Whether users may log in and register with a one-time code.
    package var isCodeEnabled: Bool

    /// Whether a registration has one step or two.
    package var registrationStyle: RegistrationStyle

    /// Whether a settings flow saves a new address only after it is verified.
    package var verifiesAddressFirst: Bool

    /// The maximum length of a password, in bytes.
    package var maximumPasswordLength: Int

    /// Collects the settings from their groups; a group that is omitted has its default values.
    package init(
        passwords: PasswordSettings = PasswordSettings(),
        codes: CodeSettings = CodeSettings(),
        registration: RegistrationSettings = RegistrationSettings(),
        changes: AccountChangeSettings = AccountChangeSettings()
    ) {
        isPasswordEnabled = passwords.isLoginEnabled
        isCodeEnabled = codes.isLoginEnabled
        registrationStyle = registration.style
        verifiesAddressFirst = changes.verifiesFirst
        maximumPasswordLength = passwords.maximumLength
    }
}
