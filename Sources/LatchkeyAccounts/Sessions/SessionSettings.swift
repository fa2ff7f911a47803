package import LatchkeyModel
package import LatchkeyServerKit

/// Settings for sessions and their tokens.
public struct SessionSettings: Sendable {
    /// How long a session lasts.
    ///
    /// The value must be between 1 second and 3660 days. The lifespan starts when the user logs in and
    /// restarts whenever the user re-authenticates. Using the session doesn't extend it, but see
    /// ``idleLifespan``.
    public var lifespan: Duration = .seconds(30 * 86_400)

    /// How long a session of a browser lasts, or `nil` if it lasts as long as any other.
    ///
    /// The value must be between 1 second and 3660 days.
    public var browserLifespan: Duration?

    /// Whether a browser stays logged in after it was closed.
    public var isBrowserPersistent = true

    /// How long a session lasts while its device doesn't have a certificate yet.
    ///
    /// The value must be between 1 second and 1 day. The setting is only relevant for identity schemas that
    /// require a certificate.
    public var provisionalLifespan: Duration = .seconds(900)

    /// How long a session lasts after its last use, or `nil` if sessions that aren't used last as long as
    /// others.
    ///
    /// Every authenticated request is a use. The time of the last use is recorded with an accuracy of a
    /// twentieth of this value, so a session may end earlier by that much.
    ///
    /// The value must be between 1 minute and 3660 days.
    public var idleLifespan: Duration?

    /// The maximum number of sessions per account, or `nil` for no limit.
    ///
    /// A login that exceeds the number ends the session whose last login is the oldest. Sessions that still
    /// wait for a device certificate are counted separately, and so are those of browsers that end with an app's
    /// session.
    ///
    /// The value must be between 1 and 1000.
    public var perAccount: Int?

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
            "sessions.browser.lifespan",
            member: \.browserLifespan,
            kind: .optional(.duration(.seconds(1) ... .seconds(3660 * 86_400))),
            summary: "How long a session of a browser lasts. Defaults to sessions.lifespan."
        ),
        Setting(
            "sessions.browser.persistent",
            member: \.isBrowserPersistent,
            kind: .toggle,
            summary: "Whether users stay logged in after they have closed their browser."
        ),
        Setting(
            "sessions.provisional_lifespan",
            member: \.provisionalLifespan,
            kind: .duration(.seconds(1) ... .seconds(86_400)),
            summary: "How long a session that requires a device certificate can wait for one."
        ),
        Setting(
            "sessions.idle_lifespan",
            member: \.idleLifespan,
            kind: .optional(.duration(.seconds(60) ... .seconds(3660 * 86_400))),
            summary: "How long a session lasts without being used. By default, use makes no difference."
        ),
        Setting(
            "sessions.per_account",
            member: \.perAccount,
            kind: .optional(.number(1...1000)),
            summary:
                "The maximum number of sessions per account; a new login ends the oldest ones. By default, there is no limit."
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

extension SessionSettings {
    /// How much longer a use must make a session last before it is recorded, as a fraction of the idle
    /// lifespan.
    private static let accuracy = 20

    /// Returns how long a session lasts after a login.
    package func lifespan(for kind: SessionToken.Kind) -> Duration {
        kind == .browser ? browserLifespan ?? lifespan : lifespan
    }

    /// Returns when a session expires that is used now and isn't used again.
    ///
    /// - Parameters:
    ///   - end: The end of the session's lifespan.
    ///   - now: The time of the use.
    /// - Returns: The end of the idle lifespan or of the session's lifespan, whichever comes first.
    package func expiry(endingAt end: Timestamp, usedAt now: Timestamp) -> Timestamp {
        idleLifespan.map { min(end, now + $0) } ?? end
    }

    /// Returns the new expiry date of a session that is used, or `nil` if it doesn't have to be stored.
    ///
    /// Without an idle lifespan, the result is only different from `nil` for a session that was created while
    /// there was one.
    package func extendedExpiry(
        from expiresAt: Timestamp,
        endingAt endsAt: Timestamp,
        usedAt now: Timestamp
    ) -> Timestamp? {
        let end = expiry(endingAt: endsAt, usedAt: now)
        guard end > expiresAt else { return nil }
        guard let idleLifespan, end < endsAt else { return end }
        return end - expiresAt >= idleLifespan / Self.accuracy ? end : nil
    }
}
