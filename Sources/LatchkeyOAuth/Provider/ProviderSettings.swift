package import LatchkeyServerKit

/// Settings for the provider.
public struct ProviderSettings: Sendable {
    /// How long a client can redeem an authorization code.
    ///
    /// The value must be between 1 second and 10 minutes.
    public var codeLifespan: Duration = .seconds(60)

    /// How long a refresh token that isn't bound to a key returns the same successor after its first use, so
    /// that a client can retry when a response was lost.
    ///
    /// The value must be between 0 seconds, which forbids it, and 1 hour.
    public var refreshRetry: Duration = .seconds(60)

    /// How long a refresh token lasts without being used.
    ///
    /// The value must be between 1 minute and 3660 days.
    public var refreshLifespan: Duration = .seconds(30 * 86_400)

    /// Whether apps can ask whether an identifier has an account.
    ///
    /// Anyone can then find out who has an account, within `limits.identifier_status_per_address` and
    /// `limits.identifier_status_per_key`.
    public var publishesIdentifierStatus = false

    /// Creates settings with default values.
    public init() {}

    /// The definitions of the provider's settings.
    package static let settings: [Setting<ProviderSettings>] = [
        Setting(
            "oauth.code_lifespan",
            member: \.codeLifespan,
            kind: .duration(.seconds(1) ... .seconds(600)),
            summary: "How long a client can redeem an authorization code."
        ),
        Setting(
            "oauth.refresh_retry",
            member: \.refreshRetry,
            kind: .duration(.zero ... .seconds(3600)),
            summary:
                "How long a refresh token that isn't bound to a key can be used again when a response was lost."
        ),
        Setting(
            "oauth.refresh_lifespan",
            member: \.refreshLifespan,
            kind: .duration(.seconds(60) ... .seconds(3660 * 86_400)),
            summary: "How long the refresh token of a client lasts without being used."
        ),
        Setting(
            "oauth.identifier_status",
            member: \.publishesIdentifierStatus,
            kind: .toggle,
            summary: "Whether apps can ask whether an e-mail address or a phone number has an account."
        ),
    ]
}
