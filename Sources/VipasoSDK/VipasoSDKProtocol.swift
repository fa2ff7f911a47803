public import VipasoTypes

/// The SDK as an app sees it; an app can put a fake in its place.
public protocol VipasoSDKProtocol: AnyObject, Sendable {
    /// The doors for the kinds of users.
    var user: any VipasoUserProtocol { get }

    /// The object that is told when somebody logs in or out; held weakly, called on the main actor.
    var delegate: (any VipasoDelegate)? { get set }

    /// Whether a user is logged in, or whether that is unknown.
    ///
    /// If the state is `unknown`, the delegate is called when it is known.
    var authenticationState: VipasoAuthenticationState { get }

    /// Whether a user is known to be logged in.
    ///
    /// `false` also while ``authenticationState`` is `unknown`, for instance because the keyring is locked.
    var isAuthenticated: Bool { get }

    /// Asks the server whether the session is still valid; call it when the app comes to the foreground.
    ///
    /// The delegate is called if the server has ended the session. Network errors log no user out.
    func checkAuthentication()
}

extension VipasoSDKProtocol {
    /// Whether ``authenticationState`` is `authenticated`.
    public var isAuthenticated: Bool {
        authenticationState == .authenticated
    }
}

/// The doors for the kinds of users.
///
/// One user is logged in at a time, whichever door was used.
public protocol VipasoUserProtocol: Sendable {
    /// The door for customers, who log in with a phone number.
    var customer: any VipasoCustomerProtocol { get }

    /// The door for business users, who log in with an e-mail address.
    var business: any VipasoBusinessProtocol { get }
}
