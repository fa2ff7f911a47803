public import Latchkey

/// The configuration for a client of the Vipaso compatibility modules.
public struct VipasoConfiguration: Sendable {
    /// The URL of the identity server, such as `https://id.example.com`.
    public var server: String

    /// The app's id, such as `com.example.shop`.
    ///
    /// The id separates the stored records of different apps.
    ///
    /// The id must not contain control characters or `#`.
    public var app: String

    /// The origins (scheme, host and port) of the app's own servers, such as `https://api.example.com`.
    ///
    /// The session's credentials are only sent to these origins and to the identity server.
    public var apiOrigins: Set<String>

    /// The credential that authenticates requests to the app's own API.
    public var credential: Credential

    /// The session store, or `nil` for the platform's default store.
    public var store: (any SessionStore)?

    /// The provider of the device key, or `nil` for the platform's default provider.
    public var deviceKeys: (any DeviceKeyProvider)?

    /// The transport for all requests, or `nil` for the platform's default transport.
    public var transport: (any Transport)?

    /// The user's languages as tags such as `de-AT`, most preferred first.
    ///
    /// If the value is `nil`, the languages of the system are used. If the list is empty, the server
    /// chooses the language.
    public var languages: [String]?

    /// The clock that the client uses.
    public var time: any TimeSource

    /// A closure that is called on any thread with every request and its response.
    ///
    /// Secrets are redacted.
    public var exchanges: (@Sendable (RecordedExchange) -> Void)?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server, such as `https://id.example.com`.
    ///   - app: The app's id, such as `com.example.shop`. The id must not contain control characters or `#`.
    ///   - apiOrigins: The origins (scheme, host and port) of the app's own servers.
    ///   - credential: The credential that authenticates requests to the app's own API.
    ///   - store: The session store, or `nil` for the platform's default store.
    ///   - deviceKeys: The provider of the device key, or `nil` for the platform's default provider.
    ///   - transport: The transport for all requests, or `nil` for the platform's default transport.
    ///   - languages: The user's languages, most preferred first, or `nil` to use those of the system.
    ///   - time: The clock that the client uses.
    ///   - exchanges: A closure that is called on any thread with every request and its response. Secrets are
    ///     redacted.
    public init(
        server: String,
        app: String,
        apiOrigins: Set<String> = [],
        credential: Credential = .sessionToken,
        store: (any SessionStore)? = nil,
        deviceKeys: (any DeviceKeyProvider)? = nil,
        transport: (any Transport)? = nil,
        languages: [String]? = nil,
        time: any TimeSource = SystemTime(),
        exchanges: (@Sendable (RecordedExchange) -> Void)? = nil
    ) {
        self.server = server
        self.app = app
        self.apiOrigins = apiOrigins
        self.credential = credential
        self.store = store
        self.deviceKeys = deviceKeys
        self.transport = transport
        self.languages = languages
        self.time = time
        self.exchanges = exchanges
    }
}
