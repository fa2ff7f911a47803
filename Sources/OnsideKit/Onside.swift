package import Latchkey
import LatchkeyCompat

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The entry point to OnsideKit, using the names from Onside's public documentation.
///
/// Call ``initialize(configuration:)`` when the app starts. Users log in on demand: an action that needs an
/// account presents a login and then continues automatically. Functions that are called before
/// ``initialize(configuration:)`` fail with an error, except for ``logout()``.
public enum Onside: Sendable {
    private struct State {
        var runtime: OnsideRuntime?
        var callbackScheme: String?
        /// The latest URL that was passed on while there was no runtime.
        var heldURL: String?
        /// Whether ``logout()`` was called while there was no runtime.
        var isLogoutPending = false
    }

    private static let state = Locked(State())
    private static let queue = OnsidePaymentQueue()

    // MARK: Setup

    /// Initializes OnsideKit, loads the stored session, and validates it with the server in the background.
    ///
    /// Calling this function again replaces the configuration. Observers of the payment queue stay
    /// registered.
    ///
    /// - Parameter configuration: The server, the app's client ID, and the presenter.
    /// - Throws: ``OnsideConfigurationError`` if the server URL, the client ID or a language is invalid, or
    ///   if a platform component cannot be created. In that case, any previous configuration remains in
    ///   effect.
    @MainActor public static func initialize(
        configuration: OnsideConfiguration
    ) throws(OnsideConfigurationError) {
        let logsOut = state.withLock(\.isLogoutPending)
        let runtime = try OnsideRuntime(configuration, queue: queue, logsOut: logsOut)
        let (former, isLogoutPending, heldURL) = state.withLock { state in
            defer { (state.runtime, state.isLogoutPending, state.heldURL) = (runtime, false, nil) }
            return (state.runtime, state.isLogoutPending, state.heldURL)
        }
        former?.stop()
        // The logout may have been requested while the runtime was created.
        if isLogoutPending, !logsOut { runtime.logout() }
        runtime.start()
        if let heldURL, let callbackAddress { runtime.handle(heldURL, at: callbackAddress) }
    }

    /// The object that customizes OnsideKit.
    ///
    /// OnsideKit keeps only a weak reference to the delegate.
    @MainActor public static weak var delegate: (any OnsideDelegate)?

    /// The URL scheme that the store app uses to return to this app, or `nil` if the app has not registered
    /// one.
    ///
    /// The redirect URI of the app's client at the server is `<scheme>://onside/login`.
    public static var callbackScheme: String? {
        get { state.withLock { $0.callbackScheme } }
        set { state.withLock { $0.callbackScheme = newValue } }
    }

    /// The address to which the store app returns, or `nil` if there is no valid scheme.
    static var callbackAddress: RedirectAddress? {
        callbackScheme.flatMap { RedirectAddress($0 + "://onside/login") }
    }

    /// Handles a URL that the app was opened with.
    ///
    /// The store app's answer to a login in progress completes that login. All other URLs, such as forged, repeated or
    /// late ones, are ignored, and the login in progress continues. This function can be called on any thread, and
    /// returns immediately. Before ``initialize(configuration:)``, the latest URL is kept until then.
    ///
    /// - Parameter url: The URL that the app was opened with.
    /// - Returns: `true` if the URL leads to `<callbackScheme>://onside/login`, whether or not it has an effect. Other
    ///   URLs with the same scheme belong to the app.
    @discardableResult
    public static func handle(url: URL) -> Bool {
        let text = url.absoluteString
        guard let address = callbackAddress, address.query(of: text) != nil else { return false }
        let runtime = state.withLock { state in
            if state.runtime == nil { state.heldURL = text }
            return state.runtime
        }
        runtime?.handle(text, at: address)
        return true
    }

    /// Completes the login that a URL belongs to, and returns when the session is stored.
    ///
    /// On Linux, the store app's answer starts a new process of the app. That process calls
    /// ``initialize(configuration:)`` and this function, and then ends. The process that waits for the login notices
    /// the session, or that the login has failed.
    ///
    /// - Parameter url: The URL that the app was opened with.
    /// - Returns: Whether the URL has logged a user in. Before ``initialize(configuration:)``, this is always `false`.
    @discardableResult
    public static func completeLogin(with url: URL) async -> Bool {
        guard let runtime, let callbackAddress else { return false }
        return await runtime.completeLogin(with: url.absoluteString, at: callbackAddress)
    }

    // MARK: Login

    /// Presents a login if no user is logged in, or joins a login that is already presented.
    ///
    /// Network errors are shown in the login screen, where the user can try again.
    ///
    /// - Parameter completion: Called once, on the main actor. The only possible error is
    ///   ``OnsideLoginError/loginDiscarded``. The reason is written to the log.
    @MainActor public static func requestLogin(
        completion: (@MainActor (Result<Void, OnsideLoginError>) -> Void)? = nil
    ) {
        guard let runtime else {
            logMissingInitialization("requestLogin")
            return queue.complete(completion, with: .failure(.loginDiscarded))
        }
        runtime.requestLogin(completion: completion)
    }

    /// Logs the user out and removes the tokens and the cached profile from this device.
    ///
    /// This function does not wait for the server. Afterwards, the storefront is `nil`, and the next action
    /// that needs an account presents a login. This function can be called on any thread.
    ///
    /// If ``initialize(configuration:)`` hasn't been called yet, it isn't known where the session is stored.
    /// The logout is then carried out by ``initialize(configuration:)``, before the observers of the payment
    /// queue are notified of a stored session. It is forgotten if the process ends first.
    public static func logout() {
        let runtime = state.withLock { state in
            if state.runtime == nil { state.isLogoutPending = true }
            return state.runtime
        }
        runtime?.logout()
    }

    /// The masked phone number or e-mail address of the logged-in user, such as `+43…67`, or `nil` if no user is
    /// logged in.
    ///
    /// This is the form in which the store app shows the account. Show it before the user adds a card or pays. If another program on the device has answered the request for a
    /// login in the store app, the app is logged in to the account of that program's user.
    public static var account: String? { runtime?.account }

    // MARK: Purchases

    /// Returns the queue of payments and transactions.
    ///
    /// Every call returns the same queue.
    ///
    /// - Returns: The payment queue.
    public static func defaultPaymentQueue() -> OnsidePaymentQueue { queue }

    /// Presents the account's payment methods.
    ///
    /// If no user is logged in, a login is presented first. The user can add and remove payment methods, and
    /// choose the default one. If the screens are already presented, the call waits for that presentation.
    ///
    /// - Parameter completion: Called once, on the main actor, when the user has left the screens.
    @MainActor public static func presentPaymentMethodsManager(
        completion: (@MainActor (Result<Void, OnsidePaymentQueueError>) -> Void)? = nil
    ) {
        guard let runtime else {
            logMissingInitialization("presentPaymentMethodsManager")
            return queue.complete(completion, with: .failure(.notInitialized))
        }
        runtime.presentPaymentMethods(completion: completion)
    }

    /// Creates a request for the signed purchase history of the account.
    ///
    /// The request never presents a login.
    ///
    /// - Returns: The request, which is sent by ``OnsideSignedInAppsHistoryRequest/start(completion:)``.
    public static func makeSignedInAppsHistoryRequest() -> OnsideSignedInAppsHistoryRequest {
        OnsideSignedInAppsHistoryRequest()
    }

    // MARK: The package's own members

    /// The current runtime, or `nil` before ``initialize(configuration:)`` was called.
    static var runtime: OnsideRuntime? { state.withLock { $0.runtime } }

    /// The underlying client, for tests, or `nil` before ``initialize(configuration:)`` was called.
    package static var client: LatchkeyClient? { runtime?.client }

    /// Undoes ``initialize(configuration:)``, for tests.
    @MainActor package static func reset() {
        let former = state.withLock { state in
            defer { state = State() }
            return state.runtime
        }
        former?.stop()
        delegate = nil
    }

    /// Logs that a function was called before initialization.
    ///
    /// The message is printed to standard output, because the app's logger is only known after
    /// initialization.
    static func logMissingInitialization(_ function: String) {
        print("OnsideKit: \(function) was called before Onside.initialize(configuration:).")
    }
}
