/// A phone number or an e-mail address at which a user can be reached.
package struct ContactAddress: Hashable, Sendable {
    /// The channel that is used to reach an address.
    ///
    /// The raw values are stored in the database and used as metric labels, so don't change them.
    package enum Channel: String, Sendable, CaseIterable {
        /// A text message (SMS) or an e-mail.
        case sms, email
    }

    /// The channel that messages to this address are sent through.
    package let via: Channel

    /// The address in the form in which it is stored and compared: an E.164 number, or an e-mail address in
    /// lower case.
    ///
    /// Passing this value to ``init(_:)`` returns an equal address.
    package let value: String

    /// Creates an address without validating the value.
    ///
    /// - Parameters:
    ///   - via: The channel that messages to this address are sent through.
    ///   - value: The normalized address, such as a stored login identifier.
    package init(via: Channel, value: String) {
        self.via = via
        self.value = value
    }

    /// Parses an address that was entered by a user or read from the database.
    ///
    /// Returns `nil` if the text is neither a phone number nor an e-mail address.
    ///
    /// - Parameter text: An e-mail address, or a phone number that starts with `+` and may contain
    ///   separators. See ``PhoneNumber/init(_:)`` and ``EmailAddress/init(_:)``.
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

extension ContactAddress: CustomStringConvertible, CustomReflectable {
    /// The masked address, which is safe to log: the last two digits of a phone number, or the domain of an
    /// e-mail address.
    package var description: String {
        switch via {
        case .sms: "+…" + value.suffix(2)
        case .email: "…" + (value.lastIndex(of: "@").map { String(value[$0...]) } ?? "")
        }
    }

    /// A mirror without children, so that `dump` doesn't print the address.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
