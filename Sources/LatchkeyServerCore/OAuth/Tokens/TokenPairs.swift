import LatchkeyModel
import LatchkeyWire

/// Makes the pair of an access token and a refresh token that a client gets.
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

    /// Makes a pair of a family.
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
