public import Latchkey

/// The configuration of OnsideKit.
public struct OnsideConfiguration {
    /// The URL of the server, such as `https://id.example.com`.
    public var server: String

    /// The app's id, such as `com.example.arcade`, which is also the audience of the signed purchase history.
    public var clientID: String

    /// The presenter of logins and payment methods, which OnsideKit holds weakly.
    public var presenter: any OnsidePresenter

    /// The URL scheme of the store app, which decides whether the store app is installed.
    public var storeAppScheme = "onside"

    /// Looks up the apps that open URL schemes; `nil` treats the store app as not installed.
    public var schemeHandlers: (any URLSchemeHandlers)?

    /// The identity schema of accounts that users create in the login.
    public var signUpSchema = "shopper"

    /// Whether OnsideKit keeps a connection to the server open while a user is logged in.
    ///
    /// The storefront then becomes `nil` within seconds after the server has ended the session, and transactions that
    /// other devices or the server have changed arrive at once. Otherwise, a start of the app and each request notice it.
    public var followsSessionEvents = true

    /// Scheme, host and port of the app's own servers, which may receive the session's credentials.
    public var apiOrigins: Set<String> = []

    /// The store of the session; `nil` uses the platform's store.
    public var store: (any SessionStore)?

    /// The provider of the device key; `nil` uses the platform's provider.
    public var deviceKeys: (any DeviceKeyProvider)?

    /// The transport for all requests; `nil` uses the platform's transport.
    public var transport: (any Transport)?

    /// The user's languages as tags such as `de-AT`, most preferred first; `nil` reads them from the environment.
    public var languages: [String]?

    /// The device's clock.
    public var time: any TimeSource = SystemTime()

    /// The device's random source.
    public var random: any RandomSource = SystemRandom()

    /// Receives the reasons of discarded logins, the changes of the session and the requests.
    public var logger: (any LatchkeyLogger)?

    /// Called on any thread with every request and its response, with secrets redacted.
    public var exchanges: (@Sendable (RecordedExchange) -> Void)?

    /// Creates a configuration with the defaults.
    ///
    /// - Parameters:
    ///   - server: The URL of the server, such as `https://id.example.com`.
    ///   - clientID: The app's id, such as `com.example.arcade`.
    ///   - presenter: The presenter, which the app holds.
    public init(server: String, clientID: String, presenter: any OnsidePresenter) {
        self.server = server
        self.clientID = clientID
        self.presenter = presenter
    }
}

@available(*, unavailable)
extension OnsideConfiguration: Sendable {}

/// The reason why OnsideKit could not be initialized.
public struct OnsideConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, for developers.
    public let description: String
}
