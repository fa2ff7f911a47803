import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyWire

/// Traits that were validated against their identity schema.
///
/// The identifiers and addresses are derived from the values of the traits.
package struct Traits: Sendable {
    /// The traits as JSON, in the order of the schema.
    package let json: [UInt8]

    /// The normalized login identifiers, without duplicates, in the order of the schema.
    package let identifiers: [String]

    /// The addresses that can be verified, without duplicates, in the order of the schema.
    package let verifiable: [ContactAddress]
    /// The addresses to which recovery codes can be sent, without duplicates, in the order of the schema.
    package let recovery: [ContactAddress]

    /// The phone number that must be verified before a registration is completed.
    ///
    /// The number is `nil` if the schema does not require one.
    package let phoneToVerify: PhoneNumber?

    /// Creates traits from parts that have already been derived.
    package init(
        json: [UInt8],
        identifiers: [String],
        verifiable: [ContactAddress],
        recovery: [ContactAddress],
        phoneToVerify: PhoneNumber?
    ) {
        self.json = json
        self.identifiers = identifiers
        self.verifiable = verifiable
        self.recovery = recovery
        self.phoneToVerify = phoneToVerify
    }
}

extension Traits {
    /// All addresses in the traits, including identifiers that have the form of an address.
    ///
    /// An address with several roles is included once.
    package var addresses: Set<ContactAddress> {
        Set(identifiers.compactMap { ContactAddress($0) } + verifiable + recovery)
    }

    /// Derives the identifiers and addresses from the values of the traits.
    ///
    /// Empty and missing values result in no identifier and no address. The values are not validated here.
    ///
    /// - Parameters:
    ///   - json: The validated traits as JSON, in the order of the schema.
    ///   - values: The values of the traits, keyed by the names of their form fields, such as `traits.email`.
    ///   - schema: The schema, which defines the roles of the traits.
    package init(json: [UInt8], values: [String: JSONValue], schema: IdentitySchema) {
        self.json = json
        var identifiers: [String] = []
        var verifiable: [ContactAddress] = []
        var recovery: [ContactAddress] = []
        for field in schema.fields {
            guard let text = values[field.name]?.text, !text.isEmpty else { continue }
            // Addresses are normalized like identifiers, so the database contains only one spelling of each.
            let normalized = LoginIdentifier.normalize(text)
            if field.schema.isIdentifier, !identifiers.contains(normalized) { identifiers.append(normalized) }
            if let via = field.schema.verification {
                verifiable.appendOnce(ContactAddress(via: via, value: normalized))
            }
            if let via = field.schema.recovery {
                recovery.appendOnce(ContactAddress(via: via, value: normalized))
            }
        }
        self.identifiers = identifiers
        self.verifiable = verifiable
        self.recovery = recovery
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
