/// An identity as returned to its owner, in the format of Ory Kratos.
///
/// Times are in RFC 3339, and IDs are UUIDs.
package struct IdentityBody: Sendable, Codable {
    /// An e-mail address or phone number that can be verified.
    package struct VerifiableAddress: Sendable, Codable {
        package var id: String
        /// The address: an e-mail address or a phone number in E.164 form.
        package var value: String
        package var verified: Bool
        /// The channel: `email` or `sms`.
        package var via: String
        /// The progress of the verification: `pending`, `sent` or `completed`.
        package var status: String
        /// The time of the verification; `nil` if the address is not verified.
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

    /// An e-mail address or phone number for account recovery.
    package struct RecoveryAddress: Sendable, Codable {
        package var id: String
        /// The address, in the form that is compared with the input of a recovery flow.
        package var value: String
        /// The channel: `email` or `sms`.
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
    /// The id of the identity schema that ``traits`` conforms to.
    package var schemaID: String
    /// The URL at which the server publishes the schema.
    package var schemaURL: String
    /// `active` or `inactive`.
    package var state: String?
    /// The time at which ``state`` was last changed.
    package var stateChangedAt: String?
    /// The traits, an object that conforms to the identity schema.
    package var traits: JSONValue
    package var verifiableAddresses: [VerifiableAddress]?
    package var recoveryAddresses: [RecoveryAddress]?
    /// Data that the operator has stored and that the user can read but not change.
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
