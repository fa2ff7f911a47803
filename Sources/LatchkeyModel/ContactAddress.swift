/// A phone number or an e-mail address at which a user can be reached.
package struct ContactAddress: Hashable, Sendable {
    /// The channel through which messages reach an address.
    ///
    /// The raw values are stored in the database and used as metric labels.
    package enum Channel: String, Sendable, CaseIterable {
        /// A text message (SMS) or an e-mail.
        case sms, email
    }

    /// The channel through which messages reach the address.
    package let via: Channel

    /// The form in which the address is stored and compared: E.164, or the e-mail address in lower case.
    ///
    /// ``init(_:)`` parses this form to an equal address.
    package let value: String

    /// Creates an address from its parts, without validating the value.
    ///
    /// - Parameters:
    ///   - via: The channel.
    ///   - value: The normalized value, such as a login identifier in its stored form.
    package init(via: Channel, value: String) {
        self.via = via
        self.value = value
    }

    /// Parses an address as a user enters it or as it is stored; returns `nil` if the text is neither a phone
    /// number nor an e-mail address.
    ///
    /// - Parameter text: A phone number that starts with `+` and may contain separators, or an e-mail address;
    ///   see ``PhoneNumber/init(_:)`` and ``EmailAddress/init(_:)``.
    package init?(_ text: String) {
        if let phone = PhoneNumber(text) {
            self.init(via: .sms, value: phone.e164)
        } else if let email = EmailAddress(text) {
            self.init(via: .email, value: email.normalized)
        } else {
            return nil
        }
    }
}

extension ContactAddress: CustomStringConvertible {
    /// The masked address, for logs: only the last two digits of a phone number or the domain of an e-mail
    /// address.
    package var description: String {
        switch via {
        case .sms: "+…" + value.suffix(2)
        case .email: "…" + (value.lastIndex(of: "@").map { String(value[$0...]) } ?? "")
        }
    }
}
