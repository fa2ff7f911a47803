/// The response to a successful login or registration, in the same format as in Ory Kratos.
package struct AuthenticationBody: AnswerBody, Codable {
    /// The session token, or `nil` if a registration didn't create a session.
    package var sessionToken: String?
    /// The new session, or `nil` if a registration didn't create a session.
    package var session: SessionBody?
    /// The identity created by a registration.
    ///
    /// `nil` for a login, because the session contains the identity.
    package var identity: IdentityBody?

    private enum CodingKeys: String, CodingKey {
        case session, identity
        case sessionToken = "session_token"
    }
}
