package import LatchkeyServerKit

/// The settings that all kinds of self-service flow share: lifespans, return URLs and form texts.
public struct FlowSettings: Sendable {
    /// The lifespan of a login or registration flow.
    ///
    /// The value must be between 1 second and 1 day; the default is 10 minutes. A change to this setting also
    /// applies to existing flows that are not stored yet.
    public var lifespan: Duration = .seconds(600)

    /// The lifespan of a settings, recovery or verification flow.
    ///
    /// The value must be between 1 second and 1 day; the default is 1 hour.
    public var accountLifespan: Duration = .seconds(3600)

    /// The allowed return URLs of flows; URLs below them are also allowed.
    ///
    /// An allowed URL permits every URL that has the same origin and the same path or a path below it. Paths
    /// are compared segment by segment; the query and the fragment are ignored. With an empty list, requests
    /// with `return_to` are rejected.
    public var returnURLs: [String] = []

    /// The URL to which a flow without `return_to` sends its user; `nil` for the server's own URL.
    public var defaultReturnURL: String?

    /// The folder of custom form texts, with files `LANGUAGE.json` that override the built-in texts.
    ///
    /// The names are `en.json`, `nb.json`, `sv.json` and `fi.json`; each file is an object that maps English
    /// texts to their replacements. `nil` for the built-in texts.
    public var texts: String?

    /// Creates settings with their default values.
    public init() {}

    /// Returns how long a flow of the given kind accepts submissions after its time of issue.
    package func lifespan(of kind: FlowKind) -> Duration {
        switch kind {
        case .login, .registration: lifespan
        case .settings, .recovery, .verification: accountLifespan
        }
    }

    /// The configuration settings for all flows, in the section `flows`.
    package static let settings: [Setting<FlowSettings>] = [
        Setting(
            "flows.lifespan",
            member: \.lifespan,
            kind: .duration(.seconds(1) ... .seconds(86_400)),
            summary: "The lifespan of login and registration flows."
        ),
        Setting(
            "flows.account_lifespan",
            member: \.accountLifespan,
            kind: .duration(.seconds(1) ... .seconds(86_400)),
            summary: "The lifespan of settings, recovery and verification flows."
        ),
        Setting(
            "flows.return_urls",
            member: \.returnURLs,
            kind: .list,
            summary: "Allowed return URLs of flows; URLs below them are allowed, too."
        ),
        Setting(
            "flows.default_return_url",
            member: \.defaultReturnURL,
            kind: .optional(.text),
            summary: "The return URL of flows that specify none. Defaults to the server's own URL."
        ),
        Setting(
            "flows.texts",
            member: \.texts,
            kind: .optional(.text),
            summary:
                "A folder of custom form texts. Each file, LANGUAGE.json (en, nb, sv, fi), is an object that maps English texts to yours."
        ),
    ]
}
