/// An identity as its owner sees it (`contract/kratos.md`, 1.4).
package struct IdentityBody: Sendable, Codable {
    package struct VerifiableAddress: Sendable, Codable {
        package var id: String
        package var value: String
        package var verified: Bool
        package var via: String
        package var status: String
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

    package struct RecoveryAddress: Sendable, Codable {
        package var id: String
        package var value: String
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
    package var schemaID: String
    package var schemaURL: String
    package var state: String?
    package var stateChangedAt: String?
    package var traits: JSONValue
    package var verifiableAddresses: [VerifiableAddress]?
    package var recoveryAddresses: [RecoveryAddress]?
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
