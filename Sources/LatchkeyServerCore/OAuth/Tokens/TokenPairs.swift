import LatchkeyModel
import LatchkeyWire

/// Issues pairs of an access token and a refresh token.
struct TokenPairs: Sendable {
    let refreshTokens: RefreshTokenCodec

    private let accessTokens: AccessTokens

    init(_ context: ServerContext) {
        accessTokens = AccessTokens(context)
        refreshTokens = RefreshTokenCodec(
            prefix: context.settings.refreshTokenPrefix,
            secrets: context.secrets
        )
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
