import LatchkeyCompat
public import VipasoTypes

/// A client for apps that were written for VipasoSDK.
///
/// The client provides sign-up, login and the authentication state.
///
/// The client uses the names and signatures from Vipaso's public documentation of customer sign-up, login and
/// logout. All methods can be called from any thread. Keep one client for the lifetime of the process.
public final class VipasoClient: VipasoSDKProtocol {
    let adapter: VipasoAdapter<any VipasoDelegate>

    /// Creates the client, loads a stored session, and validates it with the server in the background.
    ///
    /// - Parameter configuration: The server, the app's id, and replacements for platform components such as
    ///   the session store.
    /// - Throws: ``VipasoTypes/VipasoError/configuration(_:)`` if the server URL, app id or language is
    ///   invalid. Other errors are thrown if a platform component cannot be created.
    public init(configuration: VipasoConfiguration) throws(VipasoError) {
        adapter = try VipasoAdapter(configuration: configuration)
        adapter.relay.onChange { [weak self] delegate, authenticated in
            guard let self else { return }
            delegate.onAuthenticationStateChange(vipaso: self, authenticated: authenticated)
        }
    }

    /// The calls for customers and for business users.
    public var user: any VipasoUserProtocol {
        UserCalls(adapter: adapter)
    }

    /// The delegate, which is notified of logins and logouts on the main actor.
    ///
    /// The client holds the delegate weakly.
    ///
    /// The delegate can be set on any thread. If a user is already logged in, a new delegate is notified of
    /// that login.
    public var delegate: (any VipasoDelegate)? {
        get { adapter.relay.delegate }
        set { adapter.relay.setDelegate(newValue) { [weak newValue] in newValue } }
    }

    /// The current state, which is logged in, logged out, or unknown.
    ///
    /// If the session is stored in an encrypted file, the state is known when the initializer returns. A
    /// keyring is read in the background. If the state is `unknown`, the delegate is called as soon as it is
    /// known.
    public var authenticationState: VipasoAuthenticationState {
        adapter.authenticationState
    }

    /// Whether a user is known to be logged in.
    ///
    /// The value is also `false` while ``authenticationState`` is `unknown`, for example because the keyring
    /// is locked.
    public var isAuthenticated: Bool {
        adapter.isAuthenticated
    }

    /// Validates the session with the server in the background.
    ///
    /// Call this method when the app enters the foreground. The delegate is called if the server has ended
    /// the session. Network errors do not log the user out.
    public func checkAuthentication() {
        adapter.checkSession()
    }

    private struct UserCalls: VipasoUserProtocol {
        let adapter: VipasoAdapter<any VipasoDelegate>

        var customer: any VipasoCustomerProtocol { CustomerCalls(adapter: adapter) }

        var business: any VipasoBusinessProtocol { BusinessCalls(adapter: adapter) }
    }
}
