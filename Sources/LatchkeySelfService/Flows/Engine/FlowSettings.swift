package import LatchkeyServerKit

/// The settings of all self-service flows.
public struct FlowSettings: Sendable {
    /// The lifespan of a login or registration flow.
    public var lifespan: Duration = .seconds(600)

    /// The lifespan of a settings, recovery or verification flow.
    public var accountLifespan: Duration = .seconds(3600)

    /// Allowed return URLs of flows; everything below them is allowed, too.
    public var returnURLs: [String] = []

    /// The return URL of flows that do not specify one; `nil` for the URL of the server.
    public var defaultReturnURL: String?

    /// A folder of form texts that override the built-in ones, `LANGUAGE.json`.
    public var texts: String?

    /// Creates the defaults.
    public init() {}

    /// Returns the lifespan of flows of a kind.
    package func lifespan(of kind: FlowKind) -> Duration {
        switch kind {
        case .login, .registration: lifespan
        case .settings, .recovery, .verification: accountLifespan
        }
    }

    /// The settings of the part.
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
