package import LatchkeyModel

/// A token request, `POST /oauth2/token`.
package enum TokenRequest: Sendable {
    /// The supported grant types.
    package enum Grant: String, Sendable, CaseIterable {
        /// Token exchange (RFC 8693).
        case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
        /// Refreshing an access token (RFC 6749, section 6).
        case refreshToken = "refresh_token"
    }

    /// Exchanges a session token for a token pair.
    ///
    /// The session must have a device certificate. Repeating the request returns the same refresh token.
    case exchange(sessionToken: Secret)

    /// Exchanges a refresh token for its successor; repeating the request returns the same successor until
    /// the successor itself is used. A token that was granted to an OAuth client requires the client's id.
    case refresh(Secret, client: String? = nil)

    /// The name of the parameter that requests a type of access token; Latchkey's own.
    package static let tokenTypeParameter = "token_type"

    /// The HTTP request for a bearer token; see ``httpRequest(for:)``.
    package var httpRequest: HTTP.Request { httpRequest(for: .bearer) }

    /// Returns the HTTP request, to which the caller adds a DPoP proof, signed with the device key, as a
    /// header field.
    ///
    /// - Parameter type: The type of access token to request. A server that does not know the parameter
    ///   issues a bearer token, so the caller must compare the type in the response.
    /// - Returns: The request.
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
            }
        if type != .bearer { fields.append((Self.tokenTypeParameter, type.rawValue)) }
        return HTTP.Request(form: fields, to: Route.token)
    }
}

extension HTTP.Request {
    /// Creates a `POST` request with a form (`application/x-www-form-urlencoded`).
    ///
    /// - Parameters:
    ///   - fields: The names and values in their order; both are percent-encoded.
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
