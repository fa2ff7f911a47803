package import LatchkeyAccounts

/// The settings that affect the forms of flows and how submissions are interpreted.
///
/// The settings apply to all identity schemas. A schema can restrict the methods further (``FlowMethods``).
package struct FormSettings: Hashable, Sendable {
    /// Whether users can log in and register with a password.
    package var isPasswordEnabled: Bool

    /// Whether users can log in and register with a one-time code.
    package var isCodeEnabled: Bool

    /// Whether registration uses one step or two.
    package var registrationStyle: RegistrationStyle

    /// The maximum length of a password, in bytes.
    package var maximumPasswordLength: Int

    /// Combines the settings from several groups.
    ///
    /// If a group is omitted, its default values are used.
    package init(
        passwords: PasswordSettings = PasswordSettings(),
        codes: CodeSettings = CodeSettings(),
        registration: RegistrationSettings = RegistrationSettings()
    ) {
        isPasswordEnabled = passwords.isLoginEnabled
        isCodeEnabled = codes.isLoginEnabled
        registrationStyle = registration.style
        maximumPasswordLength = passwords.maximumLength
    }
}
