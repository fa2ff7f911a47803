public import VipasoTypes

/// The interface of ``VipasoClient``.
///
/// Apps can implement this protocol for tests and previews.
public protocol VipasoSDKProtocol: AnyObject, Sendable {
    /// The calls for customers and for business users.
    var user: any VipasoUserProtocol { get }

    /// The delegate, which is notified of logins and logouts on the main actor. The client holds the delegate
    /// weakly.
    var delegate: (any VipasoDelegate)? { get set }

    /// The current state, which is logged in, logged out, or unknown.
    ///
    /// If the state is `unknown`, the delegate is called as soon as the state is known.
    var authenticationState: VipasoAuthenticationState { get }

    /// Whether a user is known to be logged in.
    ///
    /// The value is also `false` while ``authenticationState`` is `unknown`, for example because the keyring
    /// is locked.
    var isAuthenticated: Bool { get }

    /// Validates the session with the server in the background.
    ///
    /// Call this method when the app enters the foreground. The delegate is called if the server has ended
    /// the session. Network errors do not log the user out.
    func checkAuthentication()
}

extension VipasoSDKProtocol {
    /// Whether ``authenticationState`` is `authenticated`.
    public var isAuthenticated: Bool {
        authenticationState == .authenticated
    }
}

/// The calls for each kind of user.
///
/// Only one user at a time can be logged in, either a customer or a business user.
public protocol VipasoUserProtocol: Sendable {
    /// The calls for customers, who log in with a phone number.
    var customer: any VipasoCustomerProtocol { get }

    /// The calls for business users, who log in with an e-mail address.
    var business: any VipasoBusinessProtocol { get }
}
