import LatchkeyModel
import LatchkeyWire

extension IdentitySchema {
    /// The addresses that a code to log in with can be sent to, in the order of the schema.
    ///
    /// - Parameter traits: The traits, as they are kept.
    /// - Returns: The addresses, normalized.
    func codeAddresses(in traits: Traits) -> [Traits.Address] {
        (try? JSONParser.parse(traits.json, from: .storage)).map { codeAddresses(in: $0) } ?? []
    }

    /// The same for traits that were read.
    func codeAddresses(in traits: OrderedJSON) -> [Traits.Address] {
        fields.compactMap { field in
            guard let via = field.schema.codeChannel else { return nil }
            let value = field.path.reduce(OrderedJSON?.some(traits)) { value, name in value?[name] }
            guard case .string(let text)? = value, !text.isEmpty else { return nil }
            return Traits.Address(via: via, value: LoginIdentifier.normalize(text))
        }
    }
}

extension SchemaCatalog {
    /// Whether somebody can log in with a code that is sent to an address, as far as the traits and their schema say.
    func takesCodes(_ identity: IdentityRecord, at address: Traits.Address) -> Bool {
        guard let schema = self[identity.schemaID], let traits = identity.traits else { return false }
        return schema.codeAddresses(in: traits).contains(address)
    }
}

extension Traits.Address {
    /// Takes a normalized identifier for what it looks like; nothing for what no message can reach.
    package init?(_ normalized: String) {
        if PhoneNumber(normalized) != nil {
            self.init(via: .sms, value: normalized)
        } else if EmailAddress(normalized) != nil {
            self.init(via: .email, value: normalized)
        } else {
            return nil
        }
    }
}

extension IdentityRecord {
    /// The traits, out of the members that are kept for answers; nothing when they cannot be read.
    var traits: OrderedJSON? { json?["traits"] }

    /// The members that are kept for answers; nothing when they cannot be read.
    var json: OrderedJSON? {
        try? JSONParser.parse([UInt8(ascii: "{")] + body + [UInt8(ascii: "}")], from: .storage)
    }
}

extension IdentityRecord {
    /// The fields of addresses that have lost their roles: they are missing in the traits, or not among the addresses.
    func releasedFields(_ schema: IdentitySchema) -> Set<String> {
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
