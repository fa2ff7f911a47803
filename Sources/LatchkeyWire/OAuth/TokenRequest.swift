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
    /// the successor itself is used.
    case refresh(Secret)

    /// The HTTP request, to which the caller adds a DPoP proof, signed with the device key, as a header
    /// field.
    package var httpRequest: HTTP.Request {
        let fields: [(String, String)] =
            switch self {
            case .exchange(let sessionToken):
                [
                    ("grant_type", Grant.tokenExchange.rawValue),
                    ("subject_token", sessionToken.exposed),
                    ("subject_token_type", TokenType.accessToken.rawValue),
                ]
            case .refresh(let token):
                [("grant_type", Grant.refreshToken.rawValue), ("refresh_token", token.exposed)]
            }
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
