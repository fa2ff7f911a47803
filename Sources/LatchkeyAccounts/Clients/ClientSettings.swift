package import LatchkeyServerKit

/// Settings for the registration of OAuth clients.
public struct ClientSettings: Sendable {
    /// Whether redirect URIs can use `http` for all hosts, which is only meant for development.
    public var allowsHTTPRedirects = false

    /// The maximum number of redirect URIs of a client.
    ///
    /// The value must be between 1 and 1000.
    public var redirectURIs = 20

    /// The maximum size of a client's metadata in KiB.
    ///
    /// The value must be between 1 and 64.
    public var metadataKiB = 16

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for clients.
    package static let settings: [Setting<ClientSettings>] = [
        Setting(
            "oauth.allow_http_redirects",
            member: \.allowsHTTPRedirects,
            kind: .toggle,
            summary: "Whether clients can register redirect URIs with http for any host, for development."
        ),
        Setting(
            "oauth.redirect_uris_per_client",
            member: \.redirectURIs,
            kind: .number(1...1000),
            summary: "How many redirect URIs a client can register."
        ),
        Setting(
            "oauth.client_metadata_kib",
            member: \.metadataKiB,
            kind: .number(1...64),
            summary: "The maximum size of a client's metadata, in KiB."
        ),
    ]
}
