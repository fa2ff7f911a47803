package import LatchkeyServerKit

/// The settings for the lifespan, the privilege and the tokens of sessions.
public struct SessionSettings: Sendable {
    /// The lifespan of a session.
    ///
    /// The value must be between 1 second and 3660 days. The lifespan begins at login and again at each
    /// re-authentication; other use of the session does not extend it.
    public var lifespan: Duration = .seconds(30 * 86_400)

    /// The lifespan of a session whose device does not have a certificate yet.
    ///
    /// The value must be between 1 second and 1 day. This lifespan applies to identity schemas that require a
    /// certificate.
    public var provisionalLifespan: Duration = .seconds(900)

    /// The retention period of ended sessions.
    ///
    /// The value must be at most 3660 days. The retention period begins at the regular expiry of a session,
    /// even if it was revoked early.
    public var retention: Duration = .seconds(30 * 86_400)

    /// The prefix of session tokens.
    ///
    /// The prefix lets secret scanners recognize leaked tokens. The prefix may be empty.
    ///
    /// A prefix with a dot makes session tokens look like access tokens, so each request with such a token
    /// causes a failed attempt to verify an access token.
    public var tokenPrefix = "lk_st_"

    /// The time after a login during which its session is privileged and can change credentials.
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
            summary: "The lifespan of a session."
        ),
        Setting(
            "sessions.provisional_lifespan",
            member: \.provisionalLifespan,
            kind: .duration(.seconds(1) ... .seconds(86_400)),
            summary: "How long a session may wait for its device certificate."
        ),
        Setting(
            "sessions.retention",
            member: \.retention,
            kind: .duration(.zero ... .seconds(3660 * 86_400)),
            summary: "How long ended sessions are retained."
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
                "How long after a login the session is privileged and may change credentials and login addresses."
        ),
    ]
}
