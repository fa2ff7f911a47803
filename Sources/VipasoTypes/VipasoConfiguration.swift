public import Latchkey

/// What a client of the SDK needs to know.
public struct VipasoConfiguration: Sendable {
    /// The identity server's address, such as `https://id.example.com`.
    public var server: String

    /// The app's id, such as `com.example.shop`; tells its records from those of other apps.
    ///
    /// It must not hold control characters or `#`.
    public var app: String

    /// What keeps the session; the platform's own when there is none.
    public var store: (any SessionStore)?

    /// What makes and keeps the device's key; the platform's own when there is none.
    public var deviceKeys: (any DeviceKeyProvider)?

    /// What carries the requests; the platform's own when there is none.
    public var transport: (any Transport)?

    /// The languages of the user as tags such as `de-AT`, the preferred one first; those of the environment when there is no
    /// list, and the server's choice when it is empty.
    public var languages: [String]?

    /// The device's clock.
    public var time: any TimeSource

    /// Is told about every request and its answer, without secrets; called on any thread.
    public var exchanges: (@Sendable (Exchange) -> Void)?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - server: The identity server's address, such as `https://id.example.com`.
    ///   - app: The app's id, such as `com.example.shop`.
    ///   - store: What keeps the session; the platform's own when not given.
    ///   - deviceKeys: What makes and keeps the device's key; the platform's own when not given.
    ///   - transport: What carries the requests; the platform's own when not given.
    ///   - languages: The languages of the user, the preferred one first; those of the environment when not given.
    ///   - time: The device's clock.
    ///   - exchanges: Is told about every request and its answer, without secrets.
    public init(
        server: String,
        app: String,
        store: (any SessionStore)? = nil,
        deviceKeys: (any DeviceKeyProvider)? = nil,
        transport: (any Transport)? = nil,
        languages: [String]? = nil,
        time: any TimeSource = SystemTime(),
        exchanges: (@Sendable (Exchange) -> Void)? = nil
    ) {
        self.server = server
        self.app = app
        self.store = store
        self.deviceKeys = deviceKeys
        self.transport = transport
        self.languages = languages
        self.time = time
        self.exchanges = exchanges
    }
}
