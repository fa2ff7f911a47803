import LatchkeyModel
import LatchkeyWire

/// Issues pairs of an access token and a refresh token.
package struct TokenIssuer: Sendable {
    let refreshTokens: RefreshTokenCodec

    private let accessTokens: AccessTokenIssuer

    /// Creates the issuer of pairs from the issuers of both kinds of token.
    package init(accessTokens: AccessTokenIssuer, refreshTokens: RefreshTokenCodec) {
        self.accessTokens = accessTokens
        self.refreshTokens = refreshTokens
    }

    /// Returns a new access token for a family, together with the given refresh token in its encoded form.
    func pair(
        of family: TokenFamily,
        _ refreshToken: RefreshToken,
        at now: Timestamp
    ) async throws -> TokenBody {
        let access = try await accessTokens.issue(for: family, at: now)
        return TokenBody(
            accessToken: access.token,
            expiresIn: access.lifespan.components.seconds,
            refreshToken: refreshTokens.write(refreshToken)
        )
    }
}
