/// A phone number or an e-mail address at which a user can be reached.
///
/// Two values are equal if they have the same ``text``, so the case of e-mail addresses is ignored.
package enum ContactAddress: Sendable {
    case phone(PhoneNumber)
    case email(EmailAddress)

    /// Parses an address as a user enters it or as it is stored; returns `nil` if the text is neither a phone
    /// number nor an e-mail address.
    ///
    /// - Parameter text: A phone number that starts with `+` and may contain separators, or an e-mail address;
    ///   see ``PhoneNumber/init(_:)`` and ``EmailAddress/init(_:)``.
    package init?(_ text: String) {
        if let phone = PhoneNumber(text) {
            self = .phone(phone)
        } else if let email = EmailAddress(text) {
            self = .email(email)
        } else {
            return nil
        }
    }

    /// The form in which the address is stored and compared: E.164, or the e-mail address in lower case.
    ///
    /// ``init(_:)`` parses this form to an equal address.
    package var text: String {
        switch self {
        case .phone(let phone): phone.e164
        case .email(let email): email.normalized
        }
    }

    /// The phone number; `nil` for an e-mail address.
    package var phone: PhoneNumber? {
        if case .phone(let phone) = self { phone } else { nil }
    }

    /// The e-mail address; `nil` for a phone number.
    package var email: EmailAddress? {
        if case .email(let email) = self { email } else { nil }
    }
}

extension ContactAddress: Hashable {
    /// Compares e-mail addresses without regard to case.
    package static func == (left: ContactAddress, right: ContactAddress) -> Bool {
        switch (left, right) {
        case (.phone(let left), .phone(let right)): left == right
        case (.email, .email): left.text == right.text
        default: false
        }
    }

    /// Hashes ``text``, which is the same for equal addresses.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension ContactAddress: CustomStringConvertible {
    /// The masked address, for logs: only the last two digits of a phone number or the domain of an e-mail
    /// address.
    package var description: String {
        switch self {
        case .phone(let phone): phone.description
        case .email(let email): email.description
        }
    }
}
