package import LatchkeyServerKit

/// Settings for the scopes that clients can request.
public struct ScopeSettings: Sendable {
    /// The scopes of the operator's own APIs, in addition to the built-in ones.
    ///
    /// The names must be different.
    public var scopes: [OperatorScope] = []

    /// Creates settings without own scopes.
    public init() {}

    /// The configuration settings for scopes.
    package static let settings: [Setting<ScopeSettings>] = [
        Setting(
            "oauth.scopes",
            member: \.scopes,
            kind: .scopes,
            summary:
                "The scopes of your own APIs. Users see the description in their language, or else in English; the audience is the aud of access tokens with the scope."
        )
    ]
}
