public import Latchkey

/// The configuration of OnsideKit.
public struct OnsideConfiguration {
    /// The configuration of the client: the server, the app's own servers, and the parts that an app can replace.
    ///
    /// Session events are followed unless you change this, so the storefront becomes `nil` within seconds of the
    /// server ending the session, and transactions that were changed on other devices or by the server are delivered
    /// immediately. ``LatchkeyConfiguration/revokesSessions`` has no effect, because logging out sends no request.
    public var client: LatchkeyConfiguration

    /// The app's client ID, such as `com.example.arcade`.
    ///
    /// The client ID is also the audience of the signed purchase history.
    public var clientID: String { client.app }

    /// The presenter of logins and payment methods.
    ///
    /// OnsideKit keeps only a weak reference to the presenter.
    public var presenter: any OnsidePresenter

    /// The URL scheme of the store app, in which the user can log in.
    public var storeAppScheme = "onside"

    /// The name of the store app, which is shown to the user.
    public var storeAppName = "Onside"

    /// Looks up which apps open a URL scheme, and opens the store app.
    ///
    /// If `nil`, the store app is treated as not installed.
    public var schemeHandlers: (any URLSchemeHandlers)?

    /// The identity schema for accounts that are created during login.
    public var signUpSchema = "shopper"

    /// Creates a configuration with default values for all other settings.
    ///
    /// - Parameters:
    ///   - server: The URL of the server, such as `https://id.example.com`.
    ///   - clientID: The app's client ID, such as `com.example.arcade`.
    ///   - presenter: The presenter, to which the app must keep a strong reference.
    public init(server: String, clientID: String, presenter: any OnsidePresenter) {
        client = LatchkeyConfiguration(server: server, app: clientID)
        client.followsSessionEvents = true
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
