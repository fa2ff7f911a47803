package import LatchkeyModel

/// A token revocation request, `POST /oauth2/revoke` (RFC 7009).
///
/// The response is a ``RevocationBody`` even if no session was revoked.
package struct RevocationRequest: Sendable {
    /// The refresh token or session token of the session to revoke.
    ///
    /// Access tokens are accepted, but have no effect.
    package var token: Secret

    /// Creates a request.
    ///
    /// The server detects the type of the token.
    package init(token: Secret) {
        self.token = token
    }

    /// The HTTP request to send.
    ///
    /// Revocation requests don't need a DPoP proof.
    package var httpRequest: HTTP.Request {
        HTTP.Request(form: [("token", token.exposed)], to: Route.revocation)
    }
}

/// The response to a token revocation, an empty JSON object.
///
/// RFC 7009 lets clients ignore the body. Our client requires it, because intermediaries also send empty
/// responses with status 200.
package struct RevocationBody: AnswerBody, Decodable {
    /// The response body, encoded as JSON.
    package static var json: [UInt8] { Array("{}".utf8) }
}
