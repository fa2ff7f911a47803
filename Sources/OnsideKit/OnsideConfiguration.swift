public import Latchkey

/// The configuration of OnsideKit.
public struct OnsideConfiguration {
    /// The URL of the server, such as `https://id.example.com`.
    public var server: String

    /// The app's client ID, such as `com.example.arcade`.
    ///
    /// The client ID is also the audience of the signed purchase history.
    public var clientID: String

    /// The presenter of logins and payment methods.
    ///
    /// OnsideKit keeps only a weak reference to the presenter.
    public var presenter: any OnsidePresenter

    /// The URL scheme of the store app, which is used to detect whether the store app is installed.
    public var storeAppScheme = "onside"

    /// Looks up which apps open a URL scheme.
    ///
    /// If `nil`, the store app is treated as not installed.
    public var schemeHandlers: (any URLSchemeHandlers)?

    /// The identity schema for accounts that are created during login.
    public var signUpSchema = "shopper"

    /// Whether OnsideKit keeps a connection to the server open while a user is logged in.
    ///
    /// If `true`, the storefront becomes `nil` within seconds of the server ending the session, and
    /// transactions that were changed on other devices or by the server are delivered immediately. If
    /// `false`, such changes are only noticed when the app starts and with each request.
    public var followsSessionEvents = true

    /// The origins (scheme, host and port) of the app's own servers, which may receive the session's
    /// credentials.
    public var apiOrigins: Set<String> = []

    /// The store that the session is saved in.
    ///
    /// If `nil`, the platform's default store is used.
    public var store: (any SessionStore)?

    /// The platform's store to use if there is no ``store``.
    package var storage = StorageChoice.automatic

    /// The provider of the device key.
    ///
    /// If `nil`, the platform's default provider is used.
    public var deviceKeys: (any DeviceKeyProvider)?

    /// The transport for all requests.
    ///
    /// If `nil`, the platform's default transport is used.
    public var transport: (any Transport)?

    /// The user's languages as tags such as `de-AT`, most preferred first.
    ///
    /// If `nil`, the languages of the system are used.
    public var languages: [String]?

    /// The clock that OnsideKit uses.
    public var time: any TimeSource = SystemTime()

    /// The source of random numbers that OnsideKit uses.
    public var random: any RandomSource = SystemRandom()

    /// The logger for requests, session changes, and the reasons why logins were discarded.
    public var logger: (any LatchkeyLogger)?

    /// A closure that is called on any thread with every request and its response.
    ///
    /// Secrets are redacted.
    public var exchanges: (@Sendable (RecordedExchange) -> Void)?

    /// Creates a configuration with default values for all other settings.
    ///
    /// - Parameters:
    ///   - server: The URL of the server, such as `https://id.example.com`.
    ///   - clientID: The app's client ID, such as `com.example.arcade`.
    ///   - presenter: The presenter, to which the app must keep a strong reference.
    public init(server: String, clientID: String, presenter: any OnsidePresenter) {
        self.server = server
        self.clientID = clientID
        self.presenter = presenter
    }
}

@available(*, unavailable)
extension OnsideConfiguration: Sendable {}

/// The error thrown when OnsideKit cannot be initialized.
public struct OnsideConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A description of the problem, for developers.
    public let description: String
}
