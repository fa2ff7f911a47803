package import LatchkeyServerKit

/// The settings for access tokens, refresh tokens and signing keys.
public struct TokenSettings: Sendable {
    /// The `aud` claim of access tokens.
    ///
    /// If the audience is `nil`, the server's URL is used.
    public var audience: String?

    /// The client id that clients send to the token endpoint.
    ///
    /// Clients may omit the id, but any other value is rejected with `invalid_client`.
    public var clientID = "latchkey"

    /// The lifespan of an access token.
    ///
    /// The value must be between 1 second and 1 day. A token never outlives its session.
    public var accessLifespan: Duration = .seconds(600)

    /// The prefix of refresh tokens.
    ///
    /// The prefix may be empty. Secret scanners can recognize leaked tokens by this prefix. Tokens with a
    /// different prefix are rejected, so changing the prefix invalidates all existing refresh tokens.
    public var refreshPrefix = "lk_rt_"

    /// How long a key is used to sign access tokens before it is rotated.
    ///
    /// The value must be between 2 and 3660 days.
    public var keyLifespan: Duration = .seconds(30 * 86_400)

    /// How long a key is published in the key set before it is used for signing.
    ///
    /// Resource servers must refresh their copy of the key set at least this often.
    package var keyNotice: Duration = .seconds(86_400)

    /// The longest lifespan of a signed token that a client can choose.
    ///
    /// The public keys are published at least as long.
    static let longestLifespan = Duration.seconds(86_400)

    /// Creates settings with default values.
    public init() {}

    /// The `max-age` of the published key set, in seconds.
    ///
    /// This is one hour or half of ``keyNotice``, whichever is less, so that caches are refreshed before a
    /// new key is used.
    package var keySetMaxAge: Int64 {
        min(.seconds(3600), keyNotice / 2).components.seconds
    }

    /// The `max-age` of a key set in which a key is missing that the next client may need, in seconds.
    package var incompleteKeySetMaxAge: Int64 { min(60, keySetMaxAge) }

    /// The definitions of the token settings.
    package static let settings: [Setting<TokenSettings>] = [
        Setting(
            "tokens.audience",
            member: \.audience,
            kind: .optional(.text),
            summary:
                "The audience (aud) of access tokens, such as the URL of your API. Defaults to the server's own URL."
        ),
        Setting(
            "tokens.client_id",
            member: \.clientID,
            kind: .text,
            summary: "The client_id that clients send to the token endpoint."
        ),
        Setting(
            "tokens.access_lifespan",
            member: \.accessLifespan,
            kind: .duration(.seconds(1) ... .seconds(86_400)),
            summary: "The lifespan of an access token."
        ),
        Setting(
            "tokens.refresh_prefix",
            member: \.refreshPrefix,
            kind: .optionalText,
            summary: "The prefix of refresh tokens."
        ),
        Setting(
            "tokens.key_lifespan",
            member: \.keyLifespan,
            kind: .duration(.seconds(2 * 86_400) ... .seconds(3660 * 86_400)),
            summary: "How long a key signs access tokens; the next key is published a day before it is used."
        ),
    ]
}
