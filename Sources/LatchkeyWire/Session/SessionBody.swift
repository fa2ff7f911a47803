/// A session as returned to its owner, in the format of Ory Kratos; it never contains the token.
///
/// Times are in RFC 3339, and IDs are UUIDs.
package struct SessionBody: Sendable, Codable {
    /// A completed authentication method and its assurance level.
    package struct Method: Sendable, Codable {
        /// The method, such as `password` or `code`.
        package var method: String
        /// The authenticator assurance level, such as `aal1`.
        package var aal: String
        package var completedAt: String

        private enum CodingKeys: String, CodingKey {
            case method, aal
            case completedAt = "completed_at"
        }
    }

    /// A device from which the session was used.
    package struct Device: Sendable, Codable {
        package var id: String
        /// The address and port of the client at login.
        package var ipAddress: String
        /// The `User-Agent` header field of the login request.
        package var userAgent: String
        package var location: String

        private enum CodingKeys: String, CodingKey {
            case id, location
            case ipAddress = "ip_address"
            case userAgent = "user_agent"
        }
    }

    package var id: String
    /// Whether the session has neither expired nor been revoked.
    package var active: Bool
    /// The time from which the session is no longer accepted.
    package var expiresAt: String?
    /// The time of the last authentication; a re-authentication updates it.
    package var authenticatedAt: String?
    /// The authenticator assurance level of the session, such as `aal1`.
    package var authenticatorAssuranceLevel: String?
    /// The completed authentication methods; this server reports only the latest one.
    package var authenticationMethods: [Method]?
    /// The time at which the session was created.
    package var issuedAt: String?
    /// The identity that the session belongs to.
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
