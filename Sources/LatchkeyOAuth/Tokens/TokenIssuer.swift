import LatchkeyModel
import LatchkeyWire

/// Issues pairs of an access token and a refresh token.
package struct TokenIssuer: Sendable {
    /// The codec for refresh tokens, which endpoints also use to decode the tokens that clients present.
    let refreshTokens: RefreshTokenCodec

    private let accessTokens: AccessTokenIssuer

    /// Creates an issuer from the issuer of access tokens and the codec for refresh tokens.
    package init(accessTokens: AccessTokenIssuer, refreshTokens: RefreshTokenCodec) {
        self.accessTokens = accessTokens
        self.refreshTokens = refreshTokens
    }

    /// Returns a new access token for a family, together with the given refresh token in encoded form.
    ///
    /// The family does not change: if a client presented a refresh token, the caller must already have
    /// recorded its use.
    ///
    /// - Parameters:
    ///   - family: The family that the claims of the access token describe.
    ///   - refreshToken: The refresh token to return, which is the newest one of the family or the successor
    ///     of the one that the client presented.
    ///   - keyThumbprint: The JWK thumbprint of the key that the access token is bound to; `nil` for a bearer
    ///     token.
    ///   - now: The time of issuance.
    /// - Returns: The body of the response, without `issued_token_type`.
    /// - Throws: The errors of ``AccessTokenIssuer/issue(for:boundTo:at:)``.
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
