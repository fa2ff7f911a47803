package import Latchkey
import LatchkeyCompat

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The entry point of OnsideKit, with the names of Onside's public documents.
///
/// Call ``initialize(configuration:)`` when the app starts. Users are logged in on demand: an action that needs an
/// account presents a login, and continues by itself. Functions that are called before ``initialize(configuration:)``
/// fail with an error.
public enum Onside: Sendable {
    private struct State {
        var runtime: OnsideRuntime?
        var callbackScheme: String?
    }

    private static let state = Locked(State())
    private static let queue = OnsidePaymentQueue()

    // MARK: Setup

    /// Initializes OnsideKit, reads the stored session, and checks it with the server in the background.
    ///
    /// A further call replaces the configuration; observers of the payment queue remain.
    ///
    /// - Parameter configuration: The server, the app's id and the presenter.
    /// - Throws: ``OnsideConfigurationError`` for an invalid server URL, id or language, or if a part of the platform
    ///   cannot be created; an earlier configuration then remains in use.
    @MainActor public static func initialize(
        configuration: OnsideConfiguration
    ) throws(OnsideConfigurationError) {
        let runtime = try OnsideRuntime(configuration, queue: queue)
        let former = state.withLock { state in
            defer { state.runtime = runtime }
            return state.runtime
        }
        former?.stop()
        runtime.start()
    }

    /// The delegate, which is held weakly.
    @MainActor public static weak var delegate: (any OnsideDelegate)?

    /// The URL scheme with which the store app returns to this app; `nil` if the app has not registered one.
    public static var callbackScheme: String? {
        get { state.withLock { $0.callbackScheme } }
        set { state.withLock { $0.callbackScheme = newValue } }
    }

    /// Handles a URL that the app was opened with.
    ///
    /// A URL that belongs to no login in progress, such as one that was forged or used before, changes no state.
    ///
    /// - Parameter url: The URL.
    /// - Returns: Whether the URL has the ``callbackScheme``.
    @discardableResult
    public static func handle(url: URL) -> Bool {
        guard let scheme = callbackScheme, let actual = url.scheme else { return false }
        return actual.lowercased() == scheme.lowercased()
    }

    // MARK: Login

    /// Presents a login, unless a user is logged in; joins a login that is presented already.
    ///
    /// Network errors are shown in the login, in which the user can try again.
    ///
    /// - Parameter completion: Called once, on the main actor. The only error is
    ///   ``OnsideLoginError/loginDiscarded``; the reason is written to the log.
    @MainActor public static func requestLogin(
        completion: (@MainActor (Result<Void, OnsideLoginError>) -> Void)? = nil
    ) {
        guard let runtime else {
            logMissingInitialization("requestLogin")
            return queue.complete(completion, with: .failure(.loginDiscarded))
        }
        runtime.requestLogin(completion: completion)
    }

    /// Ends the session, and removes the tokens and the cached profile from this device.
    ///
    /// It does not wait for the server. Afterwards, the storefront is `nil`, and the next action that needs an account
    /// presents a login. Can be called on any thread.
    public static func logout() {
        guard let runtime else { return logMissingInitialization("logout") }
        runtime.logout()
    }

    // MARK: Purchases

    /// The queue of payments and transactions, which is the same object for the lifetime of the process.
    ///
    /// - Returns: The queue.
    public static func defaultPaymentQueue() -> OnsidePaymentQueue { queue }

    /// Presents the payment methods of the account, after a login if no user is logged in.
    ///
    /// The user can add, choose and remove payment methods. A call while they are presented joins the presentation.
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

    /// Creates a request for the signed purchase history of the account; it never presents a login.
    ///
    /// - Returns: The request, which ``OnsideSignedInAppsHistoryRequest/start(completion:)`` sends.
    public static func makeSignedInAppsHistoryRequest() -> OnsideSignedInAppsHistoryRequest {
        OnsideSignedInAppsHistoryRequest()
    }

    // MARK: The package's own members

    /// The runtime; `nil` before ``initialize(configuration:)``.
    static var runtime: OnsideRuntime? { state.withLock { $0.runtime } }

    /// The client behind OnsideKit, for tests; `nil` before ``initialize(configuration:)``.
    package static var client: LatchkeyClient? { runtime?.client }

    /// Returns to the state before ``initialize(configuration:)``, for tests.
    @MainActor package static func reset() {
        let former = state.withLock { state in
            defer { state = State() }
            return state.runtime
        }
        former?.stop()
        delegate = nil
    }

    /// Reports a call that was made too early; there is no logger yet.
    static func logMissingInitialization(_ function: String) {
        print("OnsideKit: \(function) was called before Onside.initialize(configuration:).")
    }
}
