public import VipasoTypes

/// The interface of ``VipasoClient``, which apps can implement for tests and previews.
public protocol VipasoSDKProtocol: AnyObject, Sendable {
    /// The calls for each kind of user, which are customers and business users.
    var user: any VipasoUserProtocol { get }

    /// The delegate, which is held weakly and is notified of logins and logouts on the main actor.
    var delegate: (any VipasoDelegate)? { get set }

    /// The current state: logged in, logged out, or unknown.
    ///
    /// If the state is `unknown`, the delegate is called once the state is known.
    var authenticationState: VipasoAuthenticationState { get }

    /// Whether a user is known to be logged in.
    ///
    /// The value is also `false` while ``authenticationState`` is `unknown`, for instance because the keyring
    /// is locked.
    var isAuthenticated: Bool { get }

    /// Checks with the server whether the session is still valid.
    ///
    /// Apps call this method when they enter the foreground. The delegate is called if the server has ended
    /// the session; network errors do not log the user out.
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
/// Only one user, a customer or a business user, is logged in at a time.
public protocol VipasoUserProtocol: Sendable {
    /// The calls for customers, who log in with a phone number.
    var customer: any VipasoCustomerProtocol { get }

    /// The calls for business users, who log in with an e-mail address.
    var business: any VipasoBusinessProtocol { get }
}
