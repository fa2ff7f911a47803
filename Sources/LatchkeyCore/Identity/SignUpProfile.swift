package import LatchkeyModel

/// The data that the user enters in the last step of a sign-up.
package struct SignUpProfile: Sendable {
    /// The verified phone number.
    package var phone: PhoneNumber
    /// The new password.
    ///
    /// The server checks the password against its password policy.
    package var password: Secret
    /// The user's name.
    package var name: PersonName
    /// The user's e-mail address, or `nil` if the app didn't ask for one.
    package var email: EmailAddress?

    /// Creates a profile, which the server validates later.
    package init(phone: PhoneNumber, password: Secret, name: PersonName, email: EmailAddress?) {
        self.phone = phone
        self.password = password
        self.name = name
        self.email = email
    }
}
