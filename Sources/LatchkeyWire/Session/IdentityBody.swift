/// An identity in the form that is shown to its owner, in the same format as in Ory Kratos.
///
/// Times are in RFC 3339 format, and IDs are UUIDs.
package struct IdentityBody: Sendable, Codable {
    /// An e-mail address or phone number that can be verified.
    package struct VerifiableAddress: Sendable, Codable {
        package var id: String
        /// The e-mail address, or the phone number in E.164 format.
        package var value: String
        package var verified: Bool
        /// The channel, either `email` or `sms`.
        package var via: String
        /// The progress of the verification, which is one of `pending`, `sent` and `completed`.
        package var status: String
        /// When the address was verified, or `nil` if it hasn't been.
        package var verifiedAt: String?
        package var createdAt: String
        package var updatedAt: String

        private enum CodingKeys: String, CodingKey {
            case id, value, verified, via, status
            case verifiedAt = "verified_at"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    /// An e-mail address or phone number that can be used to recover the account.
    package struct RecoveryAddress: Sendable, Codable {
        package var id: String
        /// The address, in the form that is compared with the address entered in a recovery flow.
        package var value: String
        /// The channel, either `email` or `sms`.
        package var via: String
        package var createdAt: String
        package var updatedAt: String

        private enum CodingKeys: String, CodingKey {
            case id, value, via
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    package var id: String
    /// The ID of the identity schema that ``traits`` conforms to.
    package var schemaID: String
    /// The URL where the server publishes the identity schema.
    package var schemaURL: String
    /// The state of the identity, either `active` or `inactive`.
    package var state: String?
    /// When ``state`` was last changed.
    package var stateChangedAt: String?
    /// The traits, as an object that conforms to the identity schema.
    package var traits: JSONValue
    package var verifiableAddresses: [VerifiableAddress]?
    package var recoveryAddresses: [RecoveryAddress]?
    /// Data stored by the operator that the user can see but not change.
    package var metadataPublic: JSONValue?
    package var createdAt: String?
    package var updatedAt: String?

    private enum CodingKeys: String, CodingKey {
        case id, state, traits
        case schemaID = "schema_id"
        case schemaURL = "schema_url"
        case stateChangedAt = "state_changed_at"
        case verifiableAddresses = "verifiable_addresses"
        case recoveryAddresses = "recovery_addresses"
        case metadataPublic = "metadata_public"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }
}
