import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyWire

/// Traits that were validated against their identity schema, with the identifiers and addresses they contain.
package struct Traits: Sendable {
    /// The traits as JSON, with members in the order of the schema.
    package let json: [UInt8]

    /// The normalized login identifiers, without duplicates, in the order of the schema.
    package let identifiers: [String]

    /// The addresses that can be verified, without duplicates, in the order of the schema.
    package let verifiable: [ContactAddress]
    /// The addresses that recovery codes can be sent to, without duplicates, in the order of the schema.
    package let recovery: [ContactAddress]

    /// The identifiers and addresses that can receive codes, without duplicates, in the order of the schema.
    package let contacts: [ContactAddress]

    /// The phone number that must be verified before a registration can be completed, or `nil` if the schema
    /// doesn't require that.
    package let phoneToVerify: PhoneNumber?

    /// Creates traits from identifiers and addresses that have already been extracted.
    package init(
        json: [UInt8],
        identifiers: [String],
        verifiable: [ContactAddress],
        recovery: [ContactAddress],
        contacts: [ContactAddress],
        phoneToVerify: PhoneNumber?
    ) {
        self.json = json
        self.identifiers = identifiers
        self.verifiable = verifiable
        self.recovery = recovery
        self.contacts = contacts
        self.phoneToVerify = phoneToVerify
    }
}

extension Traits {
    /// All addresses in the traits, including identifiers that have the form of an address.
    package var addresses: Set<ContactAddress> { Set(contacts) }

    /// Extracts the identifiers and addresses from the values of the traits.
    ///
    /// Empty and missing values are skipped. The values aren't validated here.
    ///
    /// - Parameters:
    ///   - json: The validated traits as JSON, with members in the order of the schema.
    ///   - values: The values of the traits, keyed by form field name, such as `traits.email`.
    ///   - schema: The schema, which says how each trait is used.
    package init(json: [UInt8], values: [String: JSONValue], schema: IdentitySchema) {
        self.json = json
        var identifiers: [String] = []
        var verifiable: [ContactAddress] = []
        var recovery: [ContactAddress] = []
        var contacts: [ContactAddress] = []
        for field in schema.fields {
            guard let text = values[field.name]?.text, !text.isEmpty else { continue }
            // Addresses are normalized in the same way as identifiers, so the database never contains two
            // spellings of the same address.
            let normalized = LoginIdentifier.normalize(text)
            if field.schema.isIdentifier {
                identifiers.appendOnce(normalized)
                if let address = ContactAddress(normalized) { contacts.appendOnce(address) }
            }
            if let via = field.schema.verification {
                verifiable.appendOnce(ContactAddress(via: via, value: normalized))
                contacts.appendOnce(ContactAddress(via: via, value: normalized))
            }
            if let via = field.schema.recovery {
                recovery.appendOnce(ContactAddress(via: via, value: normalized))
                contacts.appendOnce(ContactAddress(via: via, value: normalized))
            }
        }
        self.identifiers = identifiers
        self.verifiable = verifiable
        self.recovery = recovery
        self.contacts = contacts
        phoneToVerify = schema.policy.verifiedPhone
            .flatMap { values["traits." + $0]?.text }
            .flatMap { PhoneNumber($0) }
    }
}

extension Array where Element: Equatable {
    fileprivate mutating func appendOnce(_ element: Element) {
        if !contains(element) { append(element) }
    }
}
