package import LatchkeyModel

/// A token revocation request, `POST /oauth2/revoke` (RFC 7009); the response is 200 even if no session was
/// revoked.
package struct RevocationRequest: Sendable {
    /// The refresh token or session token whose session is revoked; an access token is accepted but has no
    /// effect.
    package var token: Secret

    /// Creates a request; the server detects the type of the token.
    package init(token: Secret) {
        self.token = token
    }

    /// The HTTP request, which needs no DPoP proof.
    package var httpRequest: HTTP.Request {
        HTTP.Request(form: [("token", token.exposed)], to: Route.revocation)
    }
}
