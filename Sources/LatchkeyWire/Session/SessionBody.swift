/// A session as its owner sees it (`contract/kratos.md`, 1.4); the token is never part of it.
package struct SessionBody: Sendable, Codable {
    package struct Method: Sendable, Codable {
        package var method: String
        package var aal: String
        package var completedAt: String

        private enum CodingKeys: String, CodingKey {
            case method, aal
            case completedAt = "completed_at"
        }
    }

    package struct Device: Sendable, Codable {
        package var id: String
        package var ipAddress: String
        package var userAgent: String
        package var location: String

        private enum CodingKeys: String, CodingKey {
            case id, location
            case ipAddress = "ip_address"
            case userAgent = "user_agent"
        }
    }

    package var id: String
    package var active: Bool
    package var expiresAt: String?
    package var authenticatedAt: String?
    package var authenticatorAssuranceLevel: String?
    package var authenticationMethods: [Method]?
    package var issuedAt: String?
    package var identity: IdentityBody?
    package var devices: [Device]?

    private enum CodingKeys: String, CodingKey {
        case id, active, identity, devices
        case expiresAt = "expires_at"
        case authenticatedAt = "authenticated_at"
        case authenticatorAssuranceLevel = "authenticator_assurance_level"
        case authenticationMethods = "authentication_methods"
        case issuedAt = "issued_at"
    }
}
