package import LatchkeyServerKit

/// Settings for sessions and their tokens.
public struct SessionSettings: Sendable {
    /// How long a session lasts.
    ///
    /// The value must be between 1 second and 3660 days. The lifespan starts when the user logs in and
    /// restarts whenever the user re-authenticates. Using the session doesn't extend it.
    public var lifespan: Duration = .seconds(30 * 86_400)

    /// How long a session lasts while its device doesn't have a certificate yet.
    ///
    /// The value must be between 1 second and 1 day. The setting is only relevant for identity schemas that
    /// require a certificate.
    public var provisionalLifespan: Duration = .seconds(900)

    /// How long ended sessions are kept.
    ///
    /// The maximum is 3660 days. The period starts at the session's regular expiry date, even if it was
    /// revoked early.
    public var retention: Duration = .seconds(30 * 86_400)

    /// The prefix of session tokens.
    ///
    /// The prefix can be empty.
    ///
    /// The prefix helps secret scanners recognize leaked tokens. Don't use a prefix that contains a dot.
    /// Otherwise, session tokens would look like access tokens, and the server would try to verify them as
    /// access tokens on every request.
    public var tokenPrefix = "lk_st_"

    /// How long a session is privileged after a login.
    ///
    /// Only privileged sessions can change credentials.
    ///
    /// The value must be between 1 second and 366 days.
    public var privilegedAge: Duration = .seconds(3600)

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for sessions.
    package static let settings: [Setting<SessionSettings>] = [
        Setting(
            "sessions.lifespan",
            member: \.lifespan,
            kind: .duration(.seconds(1) ... .seconds(3660 * 86_400)),
            summary: "How long a session lasts."
        ),
        Setting(
            "sessions.provisional_lifespan",
            member: \.provisionalLifespan,
            kind: .duration(.seconds(1) ... .seconds(86_400)),
            summary: "How long a session that requires a device certificate can wait for one."
        ),
        Setting(
            "sessions.retention",
            member: \.retention,
            kind: .duration(.zero ... .seconds(3660 * 86_400)),
            summary: "How long ended sessions are kept."
        ),
        Setting(
            "sessions.token_prefix",
            member: \.tokenPrefix,
            kind: .optionalText,
            summary: "The prefix of session tokens."
        ),
        Setting(
            "settings.privileged_age",
            member: \.privilegedAge,
            kind: .duration(.seconds(1) ... .seconds(366 * 86_400)),
            summary:
                "How long after a login a session can change credentials and login addresses."
        ),
    ]
}
