public import LatchkeyCore
public import LatchkeyModel
public import LatchkeyWire

/// The configuration of a client, for apps that change more than one or two of its defaults.
///
/// ```swift
/// var configuration = LatchkeyConfiguration(server: "https://id.example.com", app: "com.example.shop")
/// configuration.apiOrigins = ["https://api.example.com"]
/// configuration.credential = .accessToken
/// let latchkey = try LatchkeyClient(configuration)
/// ```
public struct LatchkeyConfiguration: Sendable {
    /// The URL of the identity server, such as `https://id.example.com`.
    ///
    /// Plain `http` is accepted only for this machine.
    public var server: String

    /// The app's id, such as `com.example.shop`, which separates its stored records from those of other apps.
    ///
    /// It must not contain control characters or `#`.
    public var app: String

    /// The account slot, for apps in which several accounts can be logged in at once.
    public var slot = AccountSlot.default

    /// The path of the server's self-service API: empty, or with a leading slash and no trailing slash.
    public var basePath = "/a"

    /// Scheme, host and port of the app's own servers, such as `https://api.example.com`.
    ///
    /// The session's credentials are sent only to these and to the identity server.
    public var apiOrigins: Set<String> = []

    /// The credential that authenticates the app's own requests.
    public var credential = Credential.sessionToken

    /// Whether a session that ends on this device, by a sign-out or another login, is also revoked at the server.
    public var revokesSessions = true

    /// The platform store to use when ``store`` is `nil`.
    public var storage = StorageChoice.automatic

    /// The store of the session; `nil` uses the platform's store.
    public var store: (any SessionStore)?

    /// The provider of the device key; `nil` uses the platform's provider.
    public var deviceKeys: (any DeviceKeyProvider)?

    /// The transport for all requests; `nil` uses the platform's transport.
    public var transport: (any Transport)?

    /// The proxy that the platform's transport uses; ignored if ``transport`` is given.
    public var proxy = ProxyChoice.environment

    /// The user's languages as tags such as `de-AT`, most preferred first.
    ///
    /// `nil` reads them from the environment; an empty list leaves the choice to the server.
    public var languages: [String]?

    /// Whether the client keeps a connection to the server open while a user is signed in, so that a session that was
    /// revoked, or a changed profile, is noticed within seconds.
    ///
    /// Only an answer of the server to a check ends a session, never a lost connection. The connection is idle except for
    /// a comment every 25 seconds.
    public var followsSessionEvents = false

    /// The device's clock.
    public var time: any TimeSource = SystemTime()

    /// The device's random source.
    public var random: any RandomSource = SystemRandom()

    /// Receives the changes of the session and the requests, without secrets and personal data.
    public var logger: (any LatchkeyLogger)?

    /// The options for ``exchanges``.
    public var recordingOptions = RecordingOptions()

    /// Called on any thread with every request and its response, with secrets redacted.
    public var exchanges: (@Sendable (RecordedExchange) -> Void)?

    /// Creates a configuration with the defaults.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server, such as `https://id.example.com`.
    ///   - app: The app's id, such as `com.example.shop`.
    public init(server: String, app: String) {
        self.server = server
        self.app = app
    }
}

extension LatchkeyClient {
    /// Creates a client and reads the stored session.
    ///
    /// - Parameter configuration: The configuration, which is validated.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` for an invalid URL, base path,
    ///   origin, app id or language, and the error of the platform's store or transport if it cannot be
    ///   created.
    public convenience init(_ configuration: LatchkeyConfiguration) throws(LatchkeyError) {
        try self.init(
            server: configuration.server,
            app: configuration.app,
            slot: configuration.slot,
            basePath: configuration.basePath,
            apiOrigins: configuration.apiOrigins,
            store: configuration.store,
            storage: configuration.storage,
            credential: configuration.credential,
            revokesSessions: configuration.revokesSessions,
            deviceKeys: configuration.deviceKeys,
            transport: configuration.transport,
            proxy: configuration.proxy,
            languages: configuration.languages,
            followsSessionEvents: configuration.followsSessionEvents,
            time: configuration.time,
            random: configuration.random,
            logger: configuration.logger,
            recordingOptions: configuration.recordingOptions,
            exchanges: configuration.exchanges
        )
    }
}
