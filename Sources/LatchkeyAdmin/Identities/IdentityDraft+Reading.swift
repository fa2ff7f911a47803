import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

extension IdentityDraft {
    /// The maximum length of an external id, in bytes.
    private static let longestExternalID = 255

    /// Reads the body of a request that creates or replaces an identity.
    ///
    /// As in Kratos, unknown members are rejected, so a misspelled member doesn't go unnoticed.
    ///
    /// - Parameter body: The JSON object. Members whose value is null are treated as missing.
    /// - Throws: ``ServerError`` with status 400, which contains the name of the invalid member.
    package init(_ body: OrderedJSON) throws(ServerError) {
        for member in try body.members(among: Self.members) {
            switch member.name {
            case "schema_id": schemaID = try member.text
            case "traits": traits = member.value
            case "state":
                guard let state = Identity.State(rawValue: try member.text) else {
                    throw .malformed("The member state must be active or inactive.")
                }
                self.state = state
            case "metadata_public": publicMetadata = Self.json(member.value)
            case "metadata_admin": adminMetadata = Self.json(member.value)
            case "external_id":
                let text = try member.text
                guard text.utf8.count <= Self.longestExternalID else {
                    throw .malformed("The member external_id is longer than \(Self.longestExternalID) bytes.")
                }
                externalID = text.isEmpty ? nil : text
            case "credentials": password = try Self.password(member.value)
            case "verifiable_addresses": verifiable = try Self.addresses(member, isVerifiable: true)
            case "recovery_addresses": recovery = try Self.addresses(member, isVerifiable: false)
            case "verify_addresses": vouches = try member.bool
            case "check_password": checksPassword = try member.bool
            default: throw .malformed("The member \(member.name) is not supported.")
            }
        }
        if vouches, let address = verifiable.first(where: \.isUnverified) {
            throw .malformed(
                "The members verify_addresses and \(address.place)/verified contradict each other."
            )
        }
        if checksPassword {
            guard case .plain? = password else {
                throw .malformed("The member check_password requires a password in plain text.")
            }
        }
    }

    /// The members of a draft.
    ///
    /// `organization_id` and `region` aren't supported, but Kratos's clients may send them as null.
    private static let members: Set = [
        "schema_id", "traits", "state", "metadata_public", "metadata_admin", "external_id", "credentials",
        "verifiable_addresses", "recovery_addresses", "verify_addresses", "check_password",
        "organization_id", "region",
    ]

    /// Returns an identity as a JSON document that a patch can be applied to.
    ///
    /// The document has the members that ``init(_:)`` reads, except for credentials, so the result of the
    /// patch can be read as a draft. Metadata and the external id are null if the identity doesn't have them.
    ///
    /// - Throws: An error if the stored JSON cannot be parsed.
    static func document(of identity: Identity) throws -> OrderedJSON {
        var members = [
            OrderedJSON.Member(name: "schema_id", value: .string(identity.schemaID)),
            OrderedJSON.Member(name: "state", value: .string(identity.state.rawValue)),
            OrderedJSON.Member(name: "traits", value: try JSONParser.parse(identity.traits, from: .storage)),
            OrderedJSON.Member(
                name: "verifiable_addresses",
                value: .array(identity.verifiable.map(Self.document))
            ),
        ]
        for (name, json) in [
            ("metadata_public", identity.publicMetadata), ("metadata_admin", identity.adminMetadata),
        ] {
            members.append(
                OrderedJSON.Member(
                    name: name,
                    value: try json.map { try JSONParser.parse($0, from: .storage) } ?? .null
                )
            )
        }
        members.append(
            OrderedJSON.Member(name: "external_id", value: identity.externalID.map { .string($0) } ?? .null)
        )
        return .object(members)
    }

    /// Returns an address with the members that Kratos's API has for it.
    private static func document(of address: Identity.VerifiableAddress) -> OrderedJSON {
        let members: [(String, OrderedJSON?)] = [
            ("id", .string(address.id.description)), ("value", .string(address.address.value)),
            ("verified", .bool(address.isVerified)), ("via", .string(address.address.via.rawValue)),
            ("status", .string(address.status.rawValue)),
            ("verified_at", address.verifiedAt.map { .string($0.description) }),
            ("created_at", .string(address.createdAt.description)),
            ("updated_at", .string(address.updatedAt.description)),
        ]
        return .object(
            members.compactMap { name, value in value.map { OrderedJSON.Member(name: name, value: $0) } }
        )
    }

    /// Reads the password or the password hash from `credentials`.
    ///
    /// All other types of credentials are rejected.
    private static func password(_ credentials: OrderedJSON) throws(ServerError) -> Password? {
        guard case .object(let kinds) = credentials else {
            throw .malformed("The member credentials must be an object.")
        }
        if let other = kinds.first(where: { $0.name != "password" && $0.value != .null }) {
            throw .malformed("Credentials of type “\(other.name)” cannot be imported.")
        }
        guard let password = credentials["password"], password != .null else { return nil }
        let place = "/credentials/password"
        guard let config = try password.members(among: ["config"], at: place).first?.value else { return nil }
        let members = try config.members(
            among: ["password", "hashed_password", "use_password_migration_hook"],
            at: place + "/config"
        )
        var (hash, plain): (String?, String?) = (nil, nil)
        for member in members {
            switch member.name {
            case "hashed_password": hash = try member.text
            case "password": plain = try member.text
            default:
                guard member.value == .bool(false) else {
                    throw .malformed("The member \(place)/config/\(member.name) is not supported.")
                }
            }
        }
        // Kratos's clients send empty strings for missing values.
        switch (hash.flatMap { $0.isEmpty ? nil : $0 }, plain.flatMap { $0.isEmpty ? nil : $0 }) {
        case (.some, .some):
            throw .malformed("Only one of the members password and hashed_password can be set.")
        case (let hash?, nil):
            do {
                return .hashed(try StoredHash(hash))
            } catch {
                throw .malformed("The member hashed_password \(error.reason)")
            }
        case (nil, let plain?): return .plain(Secret(plain))
        case (nil, nil): return nil
        }
    }

    private static func addresses(
        _ member: OrderedJSON.Member,
        isVerifiable: Bool
    ) throws(ServerError) -> [DraftedAddress] {
        guard case .array(let values) = member.value else {
            throw .malformed("The member \(member.name) must be an array.")
        }
        var addresses: [DraftedAddress] = []
        for (index, value) in values.enumerated() {
            let place = "/\(member.name)/\(index)"
            let address = try DraftedAddress(value, at: place, isVerifiable: isVerifiable)
            guard !addresses.contains(where: { $0.value.hasSameBytes(as: address.value) }) else {
                throw .malformed("The address \(place) is listed twice.")
            }
            addresses.append(address)
        }
        return addresses
    }

    private static func json(_ value: OrderedJSON) -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.value(ordered: value)
        return writer.bytes
    }
}
