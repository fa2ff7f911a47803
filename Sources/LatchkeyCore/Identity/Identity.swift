public import LatchkeyModel
public import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A user's account, with the data that the user is allowed to see.
public struct Identity: Hashable, Sendable, Identifiable {
    /// An e-mail address or phone number of the account.
    public struct Address: Hashable, Sendable {
        /// The e-mail address or phone number, as the server stores it.
        public var value: String

        /// Whether the server reports the address as verified.
        public var isVerified: Bool

        /// Whether a recovery code can be sent to the address.
        public var isForRecovery: Bool

        /// Creates an address.
        public init(value: String, isVerified: Bool, isForRecovery: Bool) {
            self.value = value
            self.isVerified = isVerified
            self.isForRecovery = isForRecovery
        }
    }

    /// The account's id on the server.
    public var id: String

    /// The id of the account's identity schema, such as `customer`, or an empty string if the server didn't
    /// send it.
    public var schema: String

    /// The account's traits, as defined by its identity schema.
    public var traits: Traits

    /// The account's e-mail addresses and phone numbers, and whether they are verified.
    ///
    /// The list is empty if the server didn't send them.
    public var addresses: [Address]

    /// The account's public metadata, which only the operator can change, or `nil` if there is none.
    public var publicMetadata: JSONValue?

    /// The time at which the account was created, if the server sent it.
    public var createdAt: Date?

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - id: The account's id on the server.
    ///   - schema: The id of the identity schema, or an empty string if it is unknown.
    ///   - traits: The account's traits.
    ///   - addresses: The account's e-mail addresses and phone numbers.
    ///   - publicMetadata: The account's public metadata.
    ///   - createdAt: The time at which the account was created, if it is known.
    public init(
        id: String,
        schema: String,
        traits: Traits = Traits(),
        addresses: [Address] = [],
        publicMetadata: JSONValue? = nil,
        createdAt: Date? = nil
    ) {
        self.id = id
        self.schema = schema
        self.traits = traits
        self.addresses = addresses
        self.publicMetadata = publicMetadata
        self.createdAt = createdAt
    }
}

/// Accessors for the traits that the built-in schemas define.
extension Identity {
    /// The `phone` trait, or `nil` if it is missing or isn't a valid phone number.
    public var phone: PhoneNumber? { traits.phone }

    /// The `email` trait, or `nil` if it is missing or isn't a valid e-mail address.
    public var email: EmailAddress? { traits.email }

    /// The `name` trait, or `nil` if the first name or the last name is missing.
    public var name: PersonName? { traits.name }
}

extension Identity {
    /// The maximum number of addresses to decode from a response.
    private static let addressLimit = 1000

    /// Decodes an identity.
    ///
    /// Returns `nil` if the id is missing.
    init?(decoding json: JSONValue?) {
        guard let json, let id = json["id"]?.text, !id.isEmpty else { return nil }
        let metadata = json["metadata_public"]
        self.init(
            id: id,
            schema: json["schema_id"]?.text ?? "",
            traits: Traits(json["traits"]?.object ?? [:]),
            addresses: Self.addresses(decoding: json),
            publicMetadata: metadata == .null ? nil : metadata,
            createdAt: json["created_at"]?.text.flatMap { Timestamp(rfc3339: $0)?.date }
        )
    }

    /// Combines the verifiable addresses and the recovery addresses, in the order sent by the server.
    private static func addresses(decoding json: JSONValue) -> [Address] {
        let recovery = (json["recovery_addresses"]?.array ?? []).prefix(addressLimit)
            .compactMap { $0["value"]?.text }
        let verifiable = (json["verifiable_addresses"]?.array ?? []).prefix(addressLimit)
        var addresses: [Address] = verifiable.compactMap { address in
            guard let value = address["value"]?.text else { return nil }
            return Address(
                value: value,
                isVerified: address["verified"]?.bool ?? false,
                isForRecovery: recovery.contains(value)
            )
        }
        for value in recovery where !addresses.contains(where: { $0.value == value }) {
            addresses.append(Address(value: value, isVerified: false, isForRecovery: true))
        }
        return addresses
    }
}

extension Identity.Address: CustomReflectable {
    /// A mirror for printing, in which the address is masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "value": Masked(value), "isVerified": isVerified, "isForRecovery": isForRecovery,
            ],
            displayStyle: .struct
        )
    }
}

extension Identity: CustomReflectable {
    /// A mirror for printing, in which the values of the traits, the addresses and the metadata are masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "schema": schema, "traits": traits, "addresses": addresses,
                "publicMetadata": publicMetadata.map { _ in Masked() } as Any, "createdAt": createdAt as Any,
            ],
            displayStyle: .struct
        )
    }
}
