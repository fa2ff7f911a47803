package import LatchkeyModel

/// What a person tells of themselves at the end of a sign-up.
package struct SignUpProfile: Sendable {
    package var phone: PhoneNumber
    package var password: Secret
    package var name: PersonName
    package var email: EmailAddress?

    package init(phone: PhoneNumber, password: Secret, name: PersonName, email: EmailAddress?) {
        self.phone = phone
        self.password = password
        self.name = name
        self.email = email
    }
}
