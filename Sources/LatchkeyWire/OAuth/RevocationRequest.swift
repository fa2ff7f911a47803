package import LatchkeyModel

/// What a client asks of `POST /oauth2/revoke` (RFC 7009); 200 whether or not there was anything to end.
package struct RevocationRequest: Sendable {
    /// A refresh token, an access token or a session token: each ends the session.
    package var token: Secret

    package init(token: Secret) {
        self.token = token
    }

    /// The request; it needs no proof.
    package var httpRequest: HTTPRequest {
        HTTPRequest(form: [("token", token.exposed)], to: Route.revocation)
    }
}
