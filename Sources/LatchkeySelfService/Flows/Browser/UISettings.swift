package import LatchkeyServerKit

/// The operator's own pages for browsers, which replace the ones of the server.
///
/// A page for a kind of flow receives the parameter `flow`, and the page for errors the parameter `id`.
public struct UISettings: Sendable {
    /// The page for logging in, or `nil` to use the server's.
    public var login: String?
    /// The page for signing up, or `nil` to use the server's.
    public var registration: String?
    /// The page for recovering an account, or `nil` to use the server's.
    public var recovery: String?
    /// The page for verifying an address, or `nil` to use the server's.
    public var verification: String?
    /// The page for changing an account, or `nil` to use the server's.
    public var settings: String?
    /// The page for errors, or `nil` to use the server's.
    public var error: String?

    /// Creates settings with their default values.
    public init() {}

    /// The addresses of all own pages.
    package var pages: [String] {
        [login, registration, recovery, verification, settings, error].compactMap(\.self)
    }

    /// The configuration settings for pages, in the section `ui`.
    package static let settings: [Setting<UISettings>] = [
        page("ui.login", \.login, "logging in"),
        page("ui.registration", \.registration, "signing up"),
        page("ui.recovery", \.recovery, "recovering an account"),
        page("ui.verification", \.verification, "verifying an address"),
        page("ui.settings", \.settings, "changing an account"),
        page("ui.error", \.error, "errors"),
    ]

    private static func page(
        _ key: String,
        _ member: any WritableKeyPath<UISettings, String?> & Sendable,
        _ purpose: String
    ) -> Setting<UISettings> {
        Setting(
            key,
            member: member,
            kind: .origin,
            summary: "The URL of your own page for \(purpose). Defaults to the server's own page."
        )
    }
}
