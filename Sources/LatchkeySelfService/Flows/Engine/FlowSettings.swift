package import LatchkeyServerKit

/// The settings of all self-service flows.
public struct FlowSettings: Sendable {
    /// The lifespan of a login or registration flow.
    ///
    /// From 1 second to 1 day; the default is 10 minutes. A change applies to flows that have no row yet as
    /// well.
    public var lifespan: Duration = .seconds(600)

    /// The lifespan of a settings, recovery or verification flow.
    ///
    /// From 1 second to 1 day; the default is 1 hour.
    public var accountLifespan: Duration = .seconds(3600)

    /// Allowed return URLs of flows; everything below them is allowed, too.
    ///
    /// An allowed URL covers its origin and all paths below its own, segment by segment; query and fragment
    /// are ignored. With an empty list, requests with `return_to` are rejected.
    public var returnURLs: [String] = []

    /// The return URL of flows that do not specify one; `nil` for the URL of the server.
    public var defaultReturnURL: String?

    /// A folder of form texts that override the built-in ones, `LANGUAGE.json`.
    ///
    /// The names are `en.json`, `nb.json`, `sv.json` and `fi.json`; each file is an object that maps English
    /// texts to their replacements. `nil` for the built-in texts.
    public var texts: String?

    /// Creates the defaults.
    public init() {}

    /// Returns the lifespan of flows of a kind.
    ///
    /// It is counted from the time of issue, in whole milliseconds.
    package func lifespan(of kind: FlowKind) -> Duration {
        switch kind {
        case .login, .registration: lifespan
        case .settings, .recovery, .verification: accountLifespan
        }
    }

    /// The settings of the part.
    ///
    /// They are listed under `flows` in the configuration.
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
                "A folder of custom form texts: LANGUAGE.json (en, nb, sv, fi), an object that maps each English text to yours."
        ),
    ]
}
