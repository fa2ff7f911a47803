/// The SDK as an app sees it; an app can put a fake in its place.
public protocol VipasoSDKProtocol: AnyObject, Sendable {
    /// The doors for the kinds of users.
    var user: any VipasoUserProtocol { get }

    /// The object that is told when somebody logs in or out; held weakly, called on the main actor.
    var delegate: (any VipasoDelegate)? { get set }
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
