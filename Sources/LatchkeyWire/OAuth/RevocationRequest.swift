package import LatchkeyModel

/// A token revocation, `POST /oauth2/revoke` (RFC 7009); the response is 200 even if no session was revoked.
package struct RevocationRequest: Sendable {
    /// A refresh token or a session token, whose session is revoked; an access token is accepted without
    /// effect.
    package var token: Secret

    /// Creates a request; the server determines the type of the token by itself.
    package init(token: Secret) {
        self.token = token
    }

    /// The HTTP request; it needs no proof.
    package var httpRequest: HTTP.Request {
        HTTP.Request(form: [("token", token.exposed)], to: Route.revocation)
    }
}
