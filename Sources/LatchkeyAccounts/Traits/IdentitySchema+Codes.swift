import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

extension IdentitySchema {
    /// Returns the addresses that login codes can be sent to, in the order of the schema.
    ///
    /// - Parameter traits: The stored traits.
    /// - Returns: The normalized addresses, or an empty array if the JSON can't be parsed.
    package func codeAddresses(in traits: Traits) -> [ContactAddress] {
        (try? JSONParser.parse(traits.json, from: .storage)).map { codeAddresses(in: $0) } ?? []
    }

    /// Returns the addresses in parsed traits that login codes can be sent to.
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
    /// Returns whether an identity can log in with a code that is sent to an address.
    ///
    /// The result depends on the identity's traits and schema. If the schema no longer exists, the result is
    /// `false`. The result can be `true` even if the address isn't proven.
    package func takesCodes(_ identity: IdentityRecord, at address: ContactAddress) -> Bool {
        guard let schema = self[identity.schemaID], let traits = identity.traits else { return false }
        return schema.codeAddresses(in: traits).contains(address)
    }
}

extension IdentityRecord {
    /// The traits from the pre-rendered members, or `nil` if they can't be parsed.
    package var traits: OrderedJSON? { json?["traits"] }

    /// The pre-rendered members as a JSON object, or `nil` if they can't be parsed.
    package var json: OrderedJSON? {
        try? JSONParser.parse([UInt8(ascii: "{")] + body + [UInt8(ascii: "}")], from: .storage)
    }
}

extension IdentityRecord {
    /// Returns the names of the form fields for addresses that the identity doesn't use.
    ///
    /// The result contains each verifiable or recovery address field that is empty or whose value isn't one
    /// of the identity's addresses.
    ///
    /// - Parameter schema: The identity's schema.
    /// - Returns: The names of the form fields, such as `traits.email`. Empty if the stored JSON can't be
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
