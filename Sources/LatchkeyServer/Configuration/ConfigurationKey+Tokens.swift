extension ConfigurationKey {
    /// The settings of token pairs.
    static let tokens = [
        ConfigurationKey(
            "tokens.audience",
            \.tokens.audience,
            .optional(.text),
            "Whom access tokens are for, such as the address of your API; the server itself when not set."
        ),
        ConfigurationKey(
            "tokens.client_id",
            \.tokens.clientID,
            .text,
            "What clients of the token endpoint are called."
        ),
        ConfigurationKey(
            "tokens.access_lifespan",
            \.tokens.accessLifespan,
            .duration(.seconds(1) ... .seconds(86_400)),
            "How long an access token lives."
        ),
        ConfigurationKey(
            "tokens.refresh_prefix",
            \.tokens.refreshPrefix,
            .optionalText,
            "What refresh tokens begin with."
        ),
        ConfigurationKey(
            "tokens.key_lifespan",
            \.tokens.keyLifespan,
            .duration(.seconds(2 * 86_400) ... .seconds(3660 * 86_400)),
            "For how long a key signs access tokens; the next one is published a day before it signs."
        ),
    ]
}
