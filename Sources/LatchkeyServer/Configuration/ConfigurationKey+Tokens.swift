extension ConfigurationKey {
    /// The settings of token pairs.
    static let tokens = [
        ConfigurationKey(
            "tokens.audience",
            \.tokens.audience,
            .optional(.text),
            "The audience (aud) of access tokens, such as the URL of your API. Defaults to the server's own URL."
        ),
        ConfigurationKey(
            "tokens.client_id",
            \.tokens.clientID,
            .text,
            "The client_id of clients of the token endpoint."
        ),
        ConfigurationKey(
            "tokens.access_lifespan",
            \.tokens.accessLifespan,
            .duration(.seconds(1) ... .seconds(86_400)),
            "The lifespan of an access token."
        ),
        ConfigurationKey(
            "tokens.refresh_prefix",
            \.tokens.refreshPrefix,
            .optionalText,
            "The prefix of refresh tokens."
        ),
        ConfigurationKey(
            "tokens.key_lifespan",
            \.tokens.keyLifespan,
            .duration(.seconds(2 * 86_400) ... .seconds(3660 * 86_400)),
            "How long a key signs access tokens; the next key is published a day before it is used."
        ),
    ]
}
