package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension Traits {
    /// Returns the traits with the phone number's region, if the schema has a region.
    ///
    /// The region determines the prices, so the client's own region only counts if its numbers share the phone
    /// number's calling code or if there is no phone number. Otherwise, the region is derived from the number;
    /// see ``Region/init(callingCodeOf:)``. If the number isn't tied to a region, the traits have none.
    ///
    /// - Parameter schema: The schema that the traits were validated against.
    /// - Returns: The traits. The position of the region is the same as in the schema.
    package func settingRegion(for schema: IdentitySchema) -> Traits {
        guard
            let field = schema.fields.first(where: \.isRegion), let name = field.path.first,
            case .object(let properties, _) = schema.traits.shape,
            let phone, case .object(var members)? = try? JSONParser.parse(json, from: .storage)
        else { return self }
        if case .string(let code)? = members.first(where: { $0.name == name })?.value,
            Region(code)?.sharesCallingCode(of: phone) ?? false
        {
            return self
        }
        members.removeAll { $0.name == name }
        if let region = Region(callingCodeOf: phone) {
            let followers = properties.drop { $0.name != name }.map(\.name)
            let place = members.firstIndex { followers.contains($0.name) } ?? members.endIndex
            members.insert(OrderedJSON.Member(name: name, value: .string(region.code)), at: place)
        }
        var writer = JSONWriter(reserving: json.count + 32)
        writer.value(ordered: .object(members))
        return Traits(
            json: writer.bytes,
            identifiers: identifiers,
            verifiable: verifiable,
            recovery: recovery,
            contacts: contacts,
            phoneToVerify: phoneToVerify
        )
    }

    /// The phone number that must be verified or, if there is none, the first phone number that is used for
    /// verification or login.
    package var phone: PhoneNumber? {
        if let phoneToVerify { return phoneToVerify }
        let values = verifiable.filter { $0.via == .sms }.map(\.value) + identifiers
        return values.lazy.compactMap { PhoneNumber($0) }.first
    }
}

extension IdentityRecord {
    /// The region from the traits, or `nil` if the account has no region.
    package var region: Region? {
        let members = [UInt8(ascii: "{")] + body + [UInt8(ascii: "}")]
        return Region(ofTraits: (try? JSONParser.parse(members, from: .storage))?["traits"])
    }
}

extension Region {
    /// Reads the region from the traits.
    ///
    /// Returns `nil` if the traits don't contain a valid region.
    init?(ofTraits traits: OrderedJSON?) {
        guard case .string(let code)? = traits?["region"] else { return nil }
        self.init(code)
    }
}
