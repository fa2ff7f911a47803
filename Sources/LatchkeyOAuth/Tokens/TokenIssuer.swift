import LatchkeyModel
import LatchkeyWire

/// Issues pairs of an access token and a refresh token.
struct TokenIssuer: Sendable {
    /// Encodes and decodes refresh tokens.
    ///
    /// The endpoints use this codec to decode the tokens that clients present.
    let refreshTokens: RefreshTokenCodec

    private let accessTokens: AccessTokenIssuer

    /// Creates an issuer.
    init(accessTokens: AccessTokenIssuer, refreshTokens: RefreshTokenCodec) {
        self.accessTokens = accessTokens
        self.refreshTokens = refreshTokens
    }

    /// Issues an access token for a family and returns it together with the given refresh token.
    ///
    /// This method doesn't change the family. If the client presented a refresh token, the caller must have
    /// marked that token as used.
    ///
    /// - Parameters:
    ///   - family: The family that the access token is issued for.
    ///   - refreshToken: The refresh token to return, which is the family's newest token or the successor of
    ///     the token that the client presented.
    ///   - keyThumbprint: The JWK thumbprint of the key that the access token is bound to, or `nil` for a
    ///     bearer token.
    ///   - now: The current time.
    /// - Returns: The body of the response, without `issued_token_type`.
    /// - Throws: Any error thrown by ``AccessTokenIssuer/issue(for:boundTo:at:)``.
    func pair(
        of family: TokenFamily,
        _ refreshToken: RefreshToken,
        boundTo keyThumbprint: [UInt8]?,
        at now: Timestamp
    ) async throws -> TokenBody {
        let access = try await accessTokens.issue(for: family, boundTo: keyThumbprint, at: now)
        return TokenBody(
            accessToken: access.token,
            tokenType: (keyThumbprint == nil ? AccessTokenType.bearer : .dpop).rawValue,
            expiresIn: access.lifespan.components.seconds,
            refreshToken: refreshTokens.write(refreshToken)
        )
    }
}
