import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

extension IdentitySchema {
    /// Returns the addresses to which a login code can be sent, in the order of the schema.
    ///
    /// - Parameter traits: The traits as stored.
    /// - Returns: The addresses with normalized values; empty if the JSON cannot be parsed.
    package func codeAddresses(in traits: Traits) -> [ContactAddress] {
        (try? JSONParser.parse(traits.json, from: .storage)).map { codeAddresses(in: $0) } ?? []
    }

    /// Returns the addresses in parsed traits to which a login code can be sent.
    ///
    /// Traits that are missing, empty or not strings are skipped.
    package func codeAddresses(in traits: OrderedJSON) -> [ContactAddress] {
        fields.compactMap { field in
            guard let via = field.schema.codeChannel else { return nil }
            let value = field.path.reduce(OrderedJSON?.some(traits)) { value, name in value?[name] }
            guard case .string(let text)? = value, !text.isEmpty else { return nil }
            return ContactAddress(via: via, value: LoginIdentifier.normalize(text))
        }
    }
}

extension SchemaCatalog {
    /// Returns whether an identity can log in with a code sent to an address, according to its traits and
    /// schema.
    ///
    /// The result is `false` if the schema of the identity no longer exists. The address need not be proven.
    package func takesCodes(_ identity: IdentityRecord, at address: ContactAddress) -> Bool {
        guard let schema = self[identity.schemaID], let traits = identity.traits else { return false }
        return schema.codeAddresses(in: traits).contains(address)
    }
}

extension IdentityRecord {
    /// The traits in the pre-rendered members; `nil` if the members cannot be parsed.
    package var traits: OrderedJSON? { json?["traits"] }

    /// The pre-rendered members as a JSON object; `nil` if they cannot be parsed.
    package var json: OrderedJSON? {
        try? JSONParser.parse([UInt8(ascii: "{")] + body + [UInt8(ascii: "}")], from: .storage)
    }
}

extension IdentityRecord {
    /// Returns the names of the verifiable and recovery fields whose addresses are not in use.
    ///
    /// An address is not in use if its field is missing from the traits, or if its value is not among the
    /// identity's addresses.
    ///
    /// - Parameter schema: The schema of the identity.
    /// - Returns: The names of the form fields, such as `traits.email`; empty if the stored JSON cannot be
    ///   parsed.
    package func releasedFields(_ schema: IdentitySchema) -> Set<String> {
        guard let json else { return [] }
        let addresses = Set(
            ["verifiable_addresses", "recovery_addresses"].flatMap { name -> [String] in
                guard case .array(let items)? = json[name] else { return [] }
                return items.compactMap { if case .string(let value)? = $0["value"] { value } else { nil } }
            }
        )
        return Set(
            schema.fields.filter { field in
                guard field.schema.verification != nil || field.schema.recovery != nil else { return false }
                let value = field.path.reduce(json["traits"]) { value, name in value?[name] }
                guard case .string(let text)? = value, !text.isEmpty else { return true }
                return !addresses.contains(LoginIdentifier.normalize(text))
            }.map(\.name)
        )
    }
}
