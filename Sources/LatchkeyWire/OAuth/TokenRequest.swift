package import LatchkeyModel

/// A token request, `POST /oauth2/token`.
package enum TokenRequest: Sendable {
    /// The grant types that the token endpoint supports.
    package enum Grant: String, Sendable, CaseIterable {
        /// Exchanges a session token for a token pair (RFC 8693).
        case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
        /// Refreshes an access token (RFC 6749, section 6).
        case refreshToken = "refresh_token"
        /// Redeems an authorization code (RFC 6749, section 4.1.3).
        case authorizationCode = "authorization_code"
    }

    /// Exchanges a session token for a token pair.
    ///
    /// The session must have a device certificate. Repeating the request returns the same refresh token.
    case exchange(sessionToken: Secret)

    /// Exchanges a refresh token for a new one. Repeating the request returns the same new token until that
    /// token has been used. If the token was granted to an OAuth client, `client` must be the client's ID.
    case refresh(Secret, client: String? = nil)

    /// Redeems an authorization code (RFC 6749, section 4.1.3; RFC 7636, section 4.5).
    case redeem(code: Secret, verifier: Secret, redirectURI: String, client: String)

    /// Exchanges the access token of a first-party client's grant for a session (RFC 8693).
    ///
    /// The access token must be bound to the key that signs the proof. Until the session is used, repeating the
    /// request returns a new token of the same session.
    case openSession(accessToken: Secret, client: String)

    /// The parameter that specifies the type of access token to issue.
    ///
    /// This is an extension defined by Latchkey.
    package static let tokenTypeParameter = "token_type"

    /// The HTTP request for a bearer token.
    ///
    /// See ``httpRequest(for:)``.
    package var httpRequest: HTTP.Request { httpRequest(for: .bearer) }

    /// Returns the HTTP request to send.
    ///
    /// The caller must add a DPoP proof that is signed with the device key.
    ///
    /// - Parameter type: The type of access token to request. Servers that don't support this parameter issue
    ///   a bearer token, so check the type in the response.
    /// - Returns: The request, without a DPoP proof.
    package func httpRequest(for type: AccessTokenType) -> HTTP.Request {
        var fields: [(String, String)] =
            switch self {
            case .exchange(let sessionToken):
                [
                    ("grant_type", Grant.tokenExchange.rawValue),
                    ("subject_token", sessionToken.exposed),
                    ("subject_token_type", TokenType.accessToken.rawValue),
                ]
            case .refresh(let token, let client):
                [("grant_type", Grant.refreshToken.rawValue), ("refresh_token", token.exposed)]
                    + (client.map { [("client_id", $0)] } ?? [])
            case .redeem(let code, let verifier, let redirectURI, let client):
                [
                    ("grant_type", Grant.authorizationCode.rawValue), ("code", code.exposed),
                    ("code_verifier", verifier.exposed), ("redirect_uri", redirectURI),
                    ("client_id", client),
                ]
            case .openSession(let token, let client):
                [
                    ("grant_type", Grant.tokenExchange.rawValue), ("client_id", client),
                    ("requested_token_type", TokenType.session.rawValue),
                    ("subject_token", token.exposed),
                    ("subject_token_type", TokenType.accessToken.rawValue),
                ]
            }
        if type != .bearer { fields.append((Self.tokenTypeParameter, type.rawValue)) }
        return HTTP.Request(form: fields, to: Route.token)
    }
}

extension HTTP.Request {
    /// Creates a `POST` request that submits a form (`application/x-www-form-urlencoded`).
    ///
    /// - Parameters:
    ///   - fields: The names and values of the fields, in order. This initializer adds the percent-encoding.
    ///   - path: The path of the endpoint.
    package init(form fields: [(String, String)], to path: String) {
        let pairs = fields.map { QueryItems.encode($0.0) + "=" + QueryItems.encode($0.1) }
        self.init(
            .post,
            path,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(pairs.joined(separator: "&").utf8)
        )
    }
}
