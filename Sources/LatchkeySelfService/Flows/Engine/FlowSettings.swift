package import LatchkeyServerKit

/// Settings for all self-service flows: lifespans, return URLs and the texts of the forms.
public struct FlowSettings: Sendable {
    /// How long login and registration flows stay valid.
    ///
    /// Must be between 1 second and 1 day. The default is 10 minutes. Changes to this setting also apply to
    /// existing flows that haven't been stored yet.
    public var lifespan: Duration = .seconds(600)

    /// How long settings, recovery and verification flows stay valid.
    ///
    /// Must be between 1 second and 1 day. The default is 1 hour.
    public var accountLifespan: Duration = .seconds(3600)

    /// The URLs that a flow may return to.
    ///
    /// An allowed URL permits every URL that has the same origin and either the same path or a path below it.
    /// Paths are compared segment by segment; queries and fragments are ignored. `https://*.example.com`
    /// permits hosts with exactly one more label. The server's own URLs are always allowed.
    public var returnURLs: [String] = []

    /// Where to send users after a flow that was started without `return_to`.
    ///
    /// If this is `nil`, users are sent to the server's own URL.
    public var defaultReturnURL: String?

    /// A folder with custom form texts that override the built-in ones.
    ///
    /// The files are named `en.json`, `nb.json`, `sv.json` and `fi.json`. Each file is an object that maps
    /// English texts to their replacements. If `nil`, the built-in texts are used.
    public var texts: String?

    /// Creates settings with their default values.
    public init() {}

    /// Returns how long flows of the given kind accept submissions after they are started.
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
            summary:
                "The URLs that flows may return to. URLs below them are allowed too, and `https://*.example.com` stands for hosts with one more label. The server's own URLs are always allowed."
        ),
        Setting(
            "flows.default_return_url",
            member: \.defaultReturnURL,
            kind: .optional(.text),
            summary: "Where to send users after flows without a return URL. Defaults to the server's own URL."
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
