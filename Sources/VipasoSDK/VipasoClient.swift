import LatchkeyCompat
public import VipasoTypes

/// A client for apps that were written for VipasoSDK, with sign-up, login and authentication state.
///
/// The client provides the names and calls from Vipaso's public documents on customer sign-up and on login
/// and logout. All methods can be called from any thread. Keep one client for the lifetime of the process.
public final class VipasoClient: VipasoSDKProtocol {
    let adapter: VipasoAdapter<any VipasoDelegate>

    /// Creates the client, loads a stored session, and checks that session with the server in the background.
    ///
    /// - Parameter configuration: The server, the app's id, and replacements for platform components such as
    ///   the store.
    /// - Throws: ``VipasoTypes/VipasoError/configuration(_:)`` for an invalid server URL, app id or language,
    ///   and other errors if a platform component cannot be created.
    public init(configuration: VipasoConfiguration) throws(VipasoError) {
        adapter = try VipasoAdapter(configuration: configuration)
        adapter.relay.onChange { [weak self] delegate, authenticated in
            guard let self else { return }
            delegate.onAuthenticationStateChange(vipaso: self, authenticated: authenticated)
        }
    }

    /// The calls for each kind of user, which are customers and business users.
    public var user: any VipasoUserProtocol {
        UserCalls(adapter: adapter)
    }

    /// The delegate, which is held weakly and is notified of logins and logouts on the main actor.
    ///
    /// The delegate can be set on any thread. If a user is already logged in, a new delegate is notified of
    /// that.
    public var delegate: (any VipasoDelegate)? {
        get { adapter.relay.delegate }
        set { adapter.relay.setDelegate(newValue) { [weak newValue] in newValue } }
    }

    /// The current state: logged in, logged out, or unknown.
    ///
    /// A login in an encrypted file is known when the initializer returns, whereas a keyring is read in the
    /// background. If the state is `unknown`, the delegate is called once the state is known.
    public var authenticationState: VipasoAuthenticationState {
        adapter.authenticationState
    }

    /// Whether a user is known to be logged in.
    ///
    /// The value is also `false` while ``authenticationState`` is `unknown`, for instance because the keyring
    /// is locked.
    public var isAuthenticated: Bool {
        adapter.isAuthenticated
    }

    /// Checks with the server whether the session is still valid, and returns immediately.
    ///
    /// Apps call this method when they enter the foreground. The delegate is called if the server has ended
    /// the session; network errors do not log the user out.
    public func checkAuthentication() {
        adapter.checkSession()
    }

    private struct UserCalls: VipasoUserProtocol {
        let adapter: VipasoAdapter<any VipasoDelegate>

        var customer: any VipasoCustomerProtocol { CustomerCalls(adapter: adapter) }

        var business: any VipasoBusinessProtocol { BusinessCalls(adapter: adapter) }
    }
}
