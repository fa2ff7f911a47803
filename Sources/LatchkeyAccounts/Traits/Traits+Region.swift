package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension Traits {
    /// Returns the traits of a sign-up with the phone number's region, if the schema has a region.
    ///
    /// The region determines the prices, so the client's own region only counts if its numbers share the
    /// phone number's calling code or if there is no phone number. Otherwise, the region is derived from the
    /// number; see ``Region/init(callingCodeOf:)``. If the number isn't tied to a region, the traits have
    /// none.
    ///
    /// - Parameter schema: The schema that the traits were validated against.
    /// - Returns: The traits. The position of the region is the same as in the schema.
    package func settingRegion(for schema: IdentitySchema) -> Traits {
        guard let phone, region?.sharesCallingCode(of: phone) != true else { return self }
        return with(Region(callingCodeOf: phone), by: schema)
    }

    /// Returns changed traits with a region, if the schema has one and the account had one or can derive one.
    ///
    /// Traits are replaced as a whole, and a client that doesn't know the region leaves it out. If this removed
    /// the region, the user would buy at the default prices.
    ///
    /// - Parameters:
    ///   - region: The account's region until now.
    ///   - schema: The schema that the traits were validated against.
    /// - Returns: The traits. A region that they already have is kept. Otherwise, they have the account's region
    ///   or, if there is none, the phone number's.
    package func keeping(_ region: Region?, for schema: IdentitySchema) -> Traits {
        guard self.region == nil, let region = region ?? phone.flatMap({ Region(callingCodeOf: $0) }) else {
            return self
        }
        return with(region, by: schema)
    }

    private var region: Region? { Region(ofTraits: try? JSONParser.parse(json, from: .storage)) }

    /// Returns the traits with another region or, if it is `nil`, without one.
    private func with(_ region: Region?, by schema: IdentitySchema) -> Traits {
        guard
            let values = try? JSONParser.parse(json, from: .storage),
            let changed = values.setting(region, by: schema)
        else { return self }
        var writer = JSONWriter(reserving: json.count + 32)
        writer.value(ordered: changed)
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

extension OrderedJSON {
    /// Returns the traits with another region, or `nil` if the schema has none.
    ///
    /// - Parameters:
    ///   - region: The region, or `nil` to remove it.
    ///   - schema: The schema of the traits.
    /// - Returns: The traits, in the order of the schema.
    func setting(_ region: Region?, by schema: IdentitySchema) -> OrderedJSON? {
        guard
            let field = schema.fields.first(where: \.isRegion), let name = field.path.first,
            case .object(let properties, _) = schema.traits.shape, case .object(var members) = self
        else { return nil }
        members.removeAll { $0.name == name }
        if let region {
            let followers = properties.drop { $0.name != name }.map(\.name)
            let place = members.firstIndex { followers.contains($0.name) } ?? members.endIndex
            members.insert(Member(name: name, value: .string(region.code)), at: place)
        }
        return .object(members)
    }
}
