package import LatchkeyModel

/// The user's inputs at the end of a sign-up.
package struct SignUpProfile: Sendable {
    /// The verified phone number.
    package var phone: PhoneNumber
    package var password: Secret
    package var name: PersonName
    /// The e-mail address, or `nil` if the app did not ask for one.
    package var email: EmailAddress?

    package init(phone: PhoneNumber, password: Secret, name: PersonName, email: EmailAddress?) {
        self.phone = phone
        self.password = password
        self.name = name
        self.email = email
    }
}
