public import LatchkeyCore
public import LatchkeyModel
public import LatchkeyWire

/// The configuration of a client.
///
/// Use a configuration if your app changes any of the defaults.
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
    /// Plain `http` is only accepted for this machine.
    public var server: String

    /// The app's id, such as `com.example.shop`.
    ///
    /// The id separates the app's stored records from those of other apps. The id must not contain control
    /// characters or `#`.
    public var app: String

    /// The account slot, for apps that let users log in to several accounts at the same time.
    public var slot = AccountSlot.default

    /// The path of the server's self-service API.
    ///
    /// The path must be empty, or start with a slash and not end with one.
    public var basePath = "/a"

    /// The scheme, host and port of each of the app's own servers, such as `https://api.example.com`.
    ///
    /// The session's credentials are only sent to these servers and to the identity server.
    public var apiOrigins: Set<String> = []

    /// The type of credential that is sent with the app's own requests.
    public var credential = Credential.sessionToken

    /// Whether a session is also revoked on the server when the user signs out or logs in again on this
    /// device.
    ///
    /// If the server cannot be reached, the session is revoked later. With a ``client``, the session of a login in a
    /// browser or another app that was abandoned is revoked in any case, because the user doesn't know of it.
    public var revokesSessions = true

    /// The app's registration as an OAuth client, which logins in a browser need.
    public var client: ClientRegistration?

    /// The platform's store to use if ``store`` is `nil`.
    public var storage = StorageChoice.automatic

    /// Where the session is stored.
    ///
    /// If this is `nil`, the platform's store is used. ``LatchkeyClient/storage`` tells which store is in use.
    public var store: (any SessionStore)?

    /// Creates and stores the device's keys.
    ///
    /// If this is `nil`, the platform's provider is used.
    public var deviceKeys: (any DeviceKeyProvider)?

    /// The transport for all requests.
    ///
    /// If this is `nil`, the platform's transport is used.
    public var transport: (any Transport)?

    /// The proxy for the platform's transport.
    ///
    /// The proxy is ignored if there is a ``transport``.
    public var proxy = ProxyChoice.system

    /// The user's preferred languages as tags such as `de-AT`, in order of preference.
    ///
    /// The server uses the first language that it supports for messages, text messages and e-mails to the user. If
    /// this is `nil`, the languages are read from the system's settings, or on Linux from the environment (`LANGUAGE`,
    /// `LC_ALL`, `LC_MESSAGES`, `LANG`). If the list is empty, the server chooses the language.
    public var languages: [String]?

    /// Whether the client keeps a connection to the server open while a user is signed in.
    ///
    /// If this is `true`, the client notices within seconds if the session is revoked or the profile changes.
    /// A session only ends if the server says so when the client checks it, and never because the connection
    /// is lost. Apart from events, the server only sends a comment every 25 seconds. Clients that share a
    /// session follow the events as long as at least one client exists that is configured to do so.
    public var followsSessionEvents = false

    /// The device's clock.
    public var time: any TimeSource = SystemTime()

    /// The device's source of random bytes.
    public var random: any RandomSource = SystemRandom()

    /// Receives log events about session changes and requests.
    ///
    /// The events don't contain secrets or personal data.
    public var logger: (any LatchkeyLogger)?

    /// Receives every request and its response, without secrets.
    public var recorder: ExchangeRecorder?

    /// Creates a configuration with default values.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server, such as `https://id.example.com`.
    ///   - app: The app's id, such as `com.example.shop`.
    ///   - apiOrigins: The scheme, host and port of each of the app's own servers.
    public init(server: String, app: String, apiOrigins: Set<String> = []) {
        self.server = server
        self.app = app
        self.apiOrigins = apiOrigins
    }
}
