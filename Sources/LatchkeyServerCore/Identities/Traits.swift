package import LatchkeyModel
import LatchkeyWire

/// Traits that fit their identity schema.
package struct Traits: Sendable {
    /// An address that the traits hold, which can be verified or helps in recovery.
    package struct Address: Hashable, Sendable {
        package let via: TraitSchema.Channel
        package let value: String

        package init(via: TraitSchema.Channel, value: String) {
            self.via = via
            self.value = value
        }
    }

    /// The traits as JSON, in the order of the schema.
    package let json: [UInt8]

    /// What the identity logs in with, normalized, each once.
    package let identifiers: [String]

    package let verifiable: [Address]
    package let recovery: [Address]

    /// The value of the trait that must have been verified, where the schema names one.
    package let phoneToVerify: PhoneNumber?
}

extension Traits {
    /// Every address that the traits hold in some role, including identifiers that have the form of an address.
    package var addresses: Set<Address> {
        Set(identifiers.compactMap { Address($0) } + verifiable + recovery)
    }

    init(json: [UInt8], values: [String: JSONValue], schema: IdentitySchema) {
        self.json = json
        var identifiers: [String] = []
        var verifiable: [Address] = []
        var recovery: [Address] = []
        for field in schema.fields {
            guard let text = values[field.name]?.text, !text.isEmpty else { continue }
            // An address is normalized as an identifier is: one spelling in the whole database.
            let normalized = LoginIdentifier.normalize(text)
            if field.schema.isIdentifier, !identifiers.contains(normalized) { identifiers.append(normalized) }
            if let via = field.schema.verification {
                verifiable.appendOnce(Address(via: via, value: normalized))
            }
            if let via = field.schema.recovery { recovery.appendOnce(Address(via: via, value: normalized)) }
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
