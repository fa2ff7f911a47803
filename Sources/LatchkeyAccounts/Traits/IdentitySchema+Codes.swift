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
            guard let via = field.schema.codeChannel, let text = field.text(in: traits) else { return nil }
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
