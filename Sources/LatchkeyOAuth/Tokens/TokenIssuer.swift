import LatchkeyModel
import LatchkeyWire

/// Issues pairs of an access token and a refresh token.
package struct TokenIssuer: Sendable {
    /// The codec of refresh tokens, with which endpoints also decode the tokens that clients present.
    let refreshTokens: RefreshTokenCodec

    private let accessTokens: AccessTokenIssuer

    /// Creates the issuer of pairs from the issuers of both kinds of token.
    package init(accessTokens: AccessTokenIssuer, refreshTokens: RefreshTokenCodec) {
        self.accessTokens = accessTokens
        self.refreshTokens = refreshTokens
    }

    /// Returns a new access token for a family, together with the given refresh token in its encoded form.
    ///
    /// The family is not changed: the caller has recorded the use of a presented refresh token before.
    ///
    /// - Parameters:
    ///   - family: The family, as the claims of the access token describe it.
    ///   - refreshToken: The token to return, which is the newest one of the family or the successor of the
    ///     one that was used.
    ///   - now: The time of issuance.
    /// - Returns: The body of the response, without `issued_token_type`.
    /// - Throws: The errors of ``AccessTokenIssuer/issue(for:at:)``.
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
