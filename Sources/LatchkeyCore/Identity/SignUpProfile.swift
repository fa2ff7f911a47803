package import LatchkeyModel

/// The user's input in the last step of a sign-up.
package struct SignUpProfile: Sendable {
    /// The verified phone number.
    package var phone: PhoneNumber
    /// The new password, which the server checks against its policy.
    package var password: Secret
    /// The user's name.
    package var name: PersonName
    /// The e-mail address, or `nil` if the app did not ask for one.
    package var email: EmailAddress?

    /// Creates the profile; the server validates it.
    package init(phone: PhoneNumber, password: Secret, name: PersonName, email: EmailAddress?) {
        self.phone = phone
        self.password = password
        self.name = name
        self.email = email
    }
}
