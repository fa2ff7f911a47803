package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension Traits {
    /// Returns the traits with the region of the phone number, if the schema has a region and the traits do not.
    ///
    /// The region follows from the calling code of the number; see ``Region/init(callingCodeOf:)``. The traits do not
    /// change if they contain no phone number, or one without a region.
    ///
    /// - Parameter schema: The schema that the traits were validated against.
    /// - Returns: The traits, with the member in the place that the schema gives it.
    package func settingRegion(for schema: IdentitySchema) -> Traits {
        guard
            let field = schema.fields.first(where: \.isRegion), let name = field.path.first,
            case .object(let properties, _) = schema.traits.shape,
            let phone, let region = Region(callingCodeOf: phone),
            case .object(var members)? = try? JSONParser.parse(json, from: .storage)
        else { return self }
        members.removeAll { $0.name == name && $0.value == .string("") }
        guard !members.contains(where: { $0.name == name }) else { return self }
        let followers = properties.drop { $0.name != name }.map(\.name)
        let place = members.firstIndex { followers.contains($0.name) } ?? members.endIndex
        members.insert(OrderedJSON.Member(name: name, value: .string(region.code)), at: place)
        var writer = JSONWriter(reserving: json.count + 32)
        writer.value(ordered: .object(members))
        return Traits(
            json: writer.bytes,
            identifiers: identifiers,
            verifiable: verifiable,
            recovery: recovery,
            phoneToVerify: phoneToVerify
        )
    }

    /// The number that the schema requires to be verified, or else the first phone number with a role.
    private var phone: PhoneNumber? {
        if let phoneToVerify { return phoneToVerify }
        let values = verifiable.filter { $0.via == .sms }.map(\.value) + identifiers
        return values.lazy.compactMap { PhoneNumber($0) }.first
    }
}

extension IdentityRecord {
    /// The region in the traits; `nil` if the account has none.
    package var region: Region? {
        let members = [UInt8(ascii: "{")] + body + [UInt8(ascii: "}")]
        return Region(ofTraits: (try? JSONParser.parse(members, from: .storage))?["traits"])
    }
}

extension Region {
    /// Reads the region from traits; `nil` if they have no valid one.
    init?(ofTraits traits: OrderedJSON?) {
        guard case .string(let code)? = traits?["region"] else { return nil }
        self.init(code)
    }
}
