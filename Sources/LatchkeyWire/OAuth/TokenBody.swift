package import LatchkeyModel

/// The token pair returned by `POST /oauth2/token` (RFC 6749, section 5.1).
package struct TokenBody: AnswerBody, Decodable {
    /// The signed access token (RFC 9068).
    package var accessToken: Secret
    /// The type of the access token.
    ///
    /// See ``AccessTokenType``.
    package var tokenType: String
    /// The number of seconds until the access token expires, according to the server's clock.
    package var expiresIn: Int64
    /// The refresh token, which can be used to obtain the next token pair.
    package var refreshToken: Secret
    /// The type of the token that was issued by a token exchange, or `nil` for other grants.
    package var issuedTokenType: String?
    /// The names of the steps that the user has to take, as in ``Duty/Kind``.
    ///
    /// The list is empty unless the server reports them.
    package var duties: [String] = []

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case issuedTokenType = "issued_token_type"
        case duties
    }

    /// Creates a token pair.
    ///
    /// Set `issuedTokenType` only in the response to a token exchange (RFC 8693, section 2.2.1).
    package init(
        accessToken: Secret,
        tokenType: String = "Bearer",
        expiresIn: Int64,
        refreshToken: Secret,
        issuedTokenType: String? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.issuedTokenType = issuedTokenType
    }

    /// Decodes a token response.
    ///
    /// Unknown members are ignored.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = Secret(try members.decode(String.self, forKey: .accessToken))
        tokenType = try members.decode(String.self, forKey: .tokenType)
        expiresIn = try members.decode(Int64.self, forKey: .expiresIn)
        refreshToken = Secret(try members.decode(String.self, forKey: .refreshToken))
        issuedTokenType = try members.decodeIfPresent(String.self, forKey: .issuedTokenType)
        duties = try members.decodeIfPresent([String].self, forKey: .duties) ?? []
    }

    /// The response body, encoded as JSON.
    package var json: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.object { writer in
            writer.name("access_token")
            writer.string(accessToken.exposed)
            if let issuedTokenType {
                writer.name("issued_token_type")
                writer.string(issuedTokenType)
            }
            writer.name("token_type")
            writer.string(tokenType)
            writer.name("expires_in")
            writer.integer(expiresIn)
            writer.name("refresh_token")
            writer.string(refreshToken.exposed)
            writer.duties(duties)
        }
        return writer.bytes
    }
}

extension JSONWriter {
    /// Writes the names of the duties in a token response, or leaves the member out if there are none.
    package mutating func duties(_ names: [String]) {
        guard !names.isEmpty else { return }
        name("duties")
        array { writer in for name in names { writer.string(name) } }
    }
}
