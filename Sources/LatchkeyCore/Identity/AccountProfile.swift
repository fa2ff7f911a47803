public import LatchkeyModel
public import LatchkeyWire

/// The logged-in user's account, with all data that the user is allowed to see.
public struct AccountProfile: Hashable, Sendable, Identifiable {
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

    /// The id of the account's identity schema, such as `customer`.
    public var schema: String

    /// The account's traits.
    public var traits: Traits

    /// The account's e-mail addresses and phone numbers.
    public var addresses: [Address]

    /// Data stored by the operator, which the user can read but not change.
    public var publicMetadata: JSONValue?

    /// The time at which the account was created, if the server sent it.
    public var createdAt: Timestamp?

    /// Creates a profile.
    public init(
        id: String,
        schema: String,
        traits: Traits = Traits(),
        addresses: [Address] = [],
        publicMetadata: JSONValue? = nil,
        createdAt: Timestamp? = nil
    ) {
        self.id = id
        self.schema = schema
        self.traits = traits
        self.addresses = addresses
        self.publicMetadata = publicMetadata
        self.createdAt = createdAt
    }
}

extension AccountProfile {
    /// The maximum number of addresses to decode from a response.
    private static let addressLimit = 1000

    /// Decodes an account.
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
            createdAt: json["created_at"]?.text.flatMap { Timestamp(rfc3339: $0) }
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

extension AccountProfile.Address: CustomReflectable {
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

extension AccountProfile: CustomReflectable {
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
