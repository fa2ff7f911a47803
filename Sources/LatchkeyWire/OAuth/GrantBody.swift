package import LatchkeyModel

/// The tokens that an OAuth client gets for a code (RFC 6749, section 5.1; OpenID Connect Core 1.0, section 3.1.3.3).
package struct GrantBody: AnswerBody, Decodable {
    /// The access token.
    package let accessToken: Secret
    /// The type of the access token, such as `DPoP`.
    package let tokenType: String
    /// The number of seconds until the access token expires, or `nil` if the server doesn't say.
    package let expiresIn: Int64?
    /// The refresh token, or `nil` if there is none.
    package let refreshToken: Secret?
    /// The ID token, or `nil` if `openid` wasn't granted.
    package let idToken: Secret?
    /// The granted scopes, or `nil` if they are the requested ones.
    package let scopes: Set<String>?

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case scope
    }

    /// Decodes a token response.
    ///
    /// Unknown members are ignored.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = Secret(try members.decode(String.self, forKey: .accessToken))
        tokenType = try members.decode(String.self, forKey: .tokenType)
        expiresIn = try members.decodeIfPresent(Int64.self, forKey: .expiresIn)
        refreshToken = try members.decodeIfPresent(String.self, forKey: .refreshToken).map { Secret($0) }
        idToken = try members.decodeIfPresent(String.self, forKey: .idToken).map { Secret($0) }
        scopes = try members.decodeIfPresent(String.self, forKey: .scope)
            .map { Set($0.split(separator: " ").map { String($0) }) }
    }
}

/// The session that a first-party client gets for its grant (RFC 8693, section 2.2.1).
package struct GrantSessionBody: AnswerBody, Decodable {
    /// The token of the session.
    package let token: Secret

    private enum CodingKeys: String, CodingKey {
        case token = "access_token"
        case type = "issued_token_type"
    }

    /// Decodes a response, which must contain the token of a session.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard try members.decode(String.self, forKey: .type) == TokenType.session.rawValue else {
            throw DecodingError.dataCorruptedError(
                forKey: .type,
                in: members,
                debugDescription: "The token is not the token of a session."
            )
        }
        token = Secret(try members.decode(String.self, forKey: .token))
    }
}
