/// A session in the form that is shown to its owner, in the same format as in Ory Kratos.
///
/// The session token is never included.
///
/// Times are in RFC 3339 format, and IDs are UUIDs.
package struct SessionBody: AnswerBody, Codable {
    /// An authentication method that was completed, and its assurance level.
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

    /// A device that has used this session.
    package struct Device: Sendable, Codable {
        package var id: String
        /// The client's IP address and port at login.
        package var ipAddress: String
        /// The `User-Agent` header of the login request.
        package var userAgent: String
        package var location: String

        private enum CodingKeys: String, CodingKey {
            case id, location
            case ipAddress = "ip_address"
            case userAgent = "user_agent"
        }
    }

    package var id: String
    /// Whether the session is active, that is, neither expired nor revoked.
    package var active: Bool
    /// When the session expires.
    package var expiresAt: String?
    /// When the user last authenticated.
    ///
    /// This time is updated when the user authenticates again.
    package var authenticatedAt: String?
    /// The session's authenticator assurance level, such as `aal1`.
    package var authenticatorAssuranceLevel: String?
    /// The authentication methods that were completed.
    ///
    /// This server reports only the most recent method.
    package var authenticationMethods: [Method]?
    /// When the session was created.
    package var issuedAt: String?
    /// The client that the app named when the user logged in.
    package var clientID: String?
    /// The name of the client, which is untrusted text.
    package var clientName: String?
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
        case clientID = "client_id"
        case clientName = "client_name"
    }
}
