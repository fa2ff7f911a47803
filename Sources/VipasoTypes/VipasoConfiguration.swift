public import Latchkey

/// The configuration for a client of the Vipaso compatibility modules.
public struct VipasoConfiguration: Sendable {
    /// The URL of the identity server, such as `https://id.example.com`.
    public var server: String

    /// The app's id, such as `com.example.shop`, which keeps the stored records of different apps apart.
    ///
    /// The id must not contain control characters or `#`.
    public var app: String

    /// Scheme, host and port of the app's own servers, such as `https://api.example.com`.
    ///
    /// The session's credentials are sent only to these and to the identity server.
    public var apiOrigins: Set<String>

    /// The credential that authenticates requests to the app's own API.
    public var credential: Credential

    /// The store of the session; `nil` uses the platform's store.
    public var store: (any SessionStore)?

    /// The provider of the device key; `nil` uses the platform's provider.
    public var deviceKeys: (any DeviceKeyProvider)?

    /// The transport for all requests; `nil` uses the platform's transport.
    public var transport: (any Transport)?

    /// The user's languages as tags such as `de-AT`, most preferred first.
    ///
    /// If the value is `nil`, the languages of the environment are used. With an empty list, the server
    /// chooses the language.
    public var languages: [String]?

    /// The device's clock.
    public var time: any TimeSource

    /// Called on any thread with every request and its response, with secrets redacted.
    public var exchanges: (@Sendable (RecordedExchange) -> Void)?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server, such as `https://id.example.com`.
    ///   - app: The app's id, such as `com.example.shop`, without control characters or `#`.
    ///   - apiOrigins: Scheme, host and port of the app's own servers.
    ///   - credential: The credential that authenticates requests to the app's own API.
    ///   - store: The store of the session; `nil` uses the platform's store.
    ///   - deviceKeys: The provider of the device key; `nil` uses the platform's provider.
    ///   - transport: The transport for all requests; `nil` uses the platform's transport.
    ///   - languages: The user's languages, most preferred first; `nil` reads them from the environment.
    ///   - time: The device's clock.
    ///   - exchanges: Called on any thread with every request and its response, with secrets redacted.
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
