/// A way to log in that a server's form can offer.
public struct LoginMethod: RawRepresentable, Hashable, Sendable {
    /// The name of the method or flow.
    public let rawValue: String

    /// Creates a way to log in from its name.
    ///
    /// Use this for methods that this version of the library doesn't define.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Log in with a password.
    public static let password = LoginMethod(rawValue: "password")
    /// Log in with a code that is sent to one of the account's addresses.
    public static let code = LoginMethod(rawValue: "code")
    /// Log in on the provider's pages in a browser.
    ///
    /// A form doesn't offer this way. It exists if ``LoginPresentation/canUseBrowser`` is `true`.
    public static let browser = LoginMethod(rawValue: "browser")
    /// Confirm the login in another app, such as a store app.
    ///
    /// A form doesn't offer this way. It exists if ``LoginPresentation/otherAppName`` isn't `nil`.
    public static let otherApp = LoginMethod(rawValue: "app")
    /// Create a new account.
    public static let signUp = LoginMethod(rawValue: "registration")
    /// Log in with a recovery code because the password was forgotten.
    public static let recovery = LoginMethod(rawValue: "recovery")
}
