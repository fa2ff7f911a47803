/// The answer to a login or registration that succeeded (`contract/kratos.md`, 1.5).
package struct AuthenticationBody: Sendable, Codable {
    package var sessionToken: String?
    package var session: SessionBody?
    package var identity: IdentityBody?

    private enum CodingKeys: String, CodingKey {
        case session, identity
        case sessionToken = "session_token"
    }
}
