/// The response to a successful login or registration, in the format of Ory Kratos.
package struct AuthenticationBody: Sendable, Codable {
    /// The session token; `nil` for a registration that creates no session.
    package var sessionToken: String?
    /// The new session; `nil` for a registration that creates no session.
    package var session: SessionBody?
    /// The identity that a registration created; `nil` for a login, whose session contains the identity.
    package var identity: IdentityBody?

    private enum CodingKeys: String, CodingKey {
        case session, identity
        case sessionToken = "session_token"
    }
}
