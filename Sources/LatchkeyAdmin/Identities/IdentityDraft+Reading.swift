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
        guard case .object(let members) = body else { throw .malformed("The body must be a JSON object.") }
        for member in members where member.value != .null {
            switch member.name {
            case "schema_id": schemaID = try Self.text(member)
            case "traits": traits = member.value
            case "state":
                guard let state = Identity.State(rawValue: try Self.text(member)) else {
                    throw .malformed("The member state must be active or inactive.")
                }
                self.state = state
            case "metadata_public": publicMetadata = Self.json(member.value)
            case "metadata_admin": adminMetadata = Self.json(member.value)
            case "external_id":
                let text = try Self.text(member)
                guard text.utf8.count <= Self.longestExternalID else {
                    throw .malformed("The member external_id is longer than \(Self.longestExternalID) bytes.")
                }
                externalID = text.isEmpty ? nil : text
            case "credentials": password = try Self.password(member.value)
            case "verifiable_addresses": addresses = try Self.addresses(member)
            // Recovery addresses are derived from the traits, so we only validate this member.
            case "recovery_addresses": _ = try Self.addresses(member)
            case "organization_id", "region":
                throw .malformed("The member \(member.name) is not supported.")
            case "verify_addresses": vouches = try Self.bool(member)
            case "check_password": checksPassword = try Self.bool(member)
            default: throw .malformed("The body has an unknown member “\(member.name)”.")
            }
        }
    }

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

    private static func document(of address: Identity.VerifiableAddress) -> OrderedJSON {
        .object([
            OrderedJSON.Member(name: "value", value: .string(address.address.value)),
            OrderedJSON.Member(name: "verified", value: .bool(address.isVerified)),
            OrderedJSON.Member(name: "via", value: .string(address.address.via.rawValue)),
            OrderedJSON.Member(name: "status", value: .string(address.status.rawValue)),
        ])
    }

    /// Reads the password or the password hash from `credentials`.
    ///
    /// If both are present, the hash takes precedence. All other types of credentials are rejected.
    private static func password(_ credentials: OrderedJSON) throws(ServerError) -> Password? {
        guard case .object(let kinds) = credentials else {
            throw .malformed("The member credentials must be an object.")
        }
        if let other = kinds.first(where: { $0.name != "password" && $0.value != .null }) {
            throw .malformed("Credentials of type “\(other.name)” cannot be imported.")
        }
        guard let config = credentials["password"]?["config"], config != .null else { return nil }
        guard case .object(let members) = config else {
            throw .malformed("The member credentials.password.config must be an object.")
        }
        if let other = members.first(where: { !["password", "hashed_password"].contains($0.name) }),
            other.value != .bool(false)
        {
            throw .malformed(
                "The member credentials.password.config.\(other.name) is not supported."
            )
        }
        switch (try text("hashed_password", of: config), try text("password", of: config)) {
        case (let hash?, _):
            do {
                return .hashed(try StoredHash(hash))
            } catch {
                throw .malformed("The member hashed_password \(error.reason)")
            }
        case (nil, let password?): return .plain(Secret(password))
        case (nil, nil): return nil
        }
    }

    /// Reads addresses and their verification status.
    ///
    /// An address is verified if `verified` is `true` or its status is `completed`.
    private static func addresses(_ member: OrderedJSON.Member) throws(ServerError) -> [Address] {
        guard case .array(let values) = member.value else {
            throw .malformed("The member \(member.name) must be an array.")
        }
        return try values.map { value throws(ServerError) in
            guard let text = try text("value", of: value) else {
                throw .malformed("An address in \(member.name) has no member named value.")
            }
            let status = Identity.VerifiableAddress.Status(
                rawValue: try self.text("status", of: value) ?? "pending"
            )
            guard let status else {
                throw .malformed("An address in \(member.name) has an unknown status.")
            }
            return Address(
                value: LoginIdentifier.normalize(text),
                isVerified: value["verified"] == .bool(true) || status == .completed,
                status: status
            )
        }
    }

    /// Returns the value of a string member, or `nil` if the member is missing, null or empty.
    private static func text(_ name: String, of value: OrderedJSON) throws(ServerError) -> String? {
        switch value[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text.isEmpty ? nil : text
        case .some: throw .malformed("The member \(name) must be a string.")
        }
    }

    private static func text(_ member: OrderedJSON.Member) throws(ServerError) -> String {
        guard case .string(let text) = member.value else {
            throw .malformed("The member \(member.name) must be a string.")
        }
        return text
    }

    private static func bool(_ member: OrderedJSON.Member) throws(ServerError) -> Bool {
        guard case .bool(let value) = member.value else {
            throw .malformed("The member \(member.name) must be true or false.")
        }
        return value
    }

    private static func json(_ value: OrderedJSON) -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.value(ordered: value)
        return writer.bytes
    }
}
